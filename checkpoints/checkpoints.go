// Package checkpoints holds the models that come with tengen.
package checkpoints

import "io/fs"

// Pretrained has the models as files NAME.safetensors. It is empty in a browser, where the page loads what it needs.
func Pretrained() fs.FS {
	folder, err := fs.Sub(pretrained, "pretrained")
	if err != nil {
		panic(err) // the name is malformed
	}
	return folder
}
