package checkpoints

import "embed"

var pretrained embed.FS
