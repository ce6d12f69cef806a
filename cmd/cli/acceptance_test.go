package cli

import "flag"

// What takes minutes is run with -args -acceptance.
var acceptance = flag.Bool("acceptance", false, "also run the trainings and matches that take minutes")
