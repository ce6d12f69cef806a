package cli

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

// TestPython runs the tests of examples/python/tengen_env.py, which start tengen, and what Gymnasium and PettingZoo check themselves.
func TestPython(t *testing.T) {
	python := pythonWithNumPy(t)
	for _, script := range []string{"tengen_env_test.py", "peers_test.py"} {
		t.Run(script, func(t *testing.T) {
			test := exec.Command(python, "../examples/python/"+script)
			test.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "TENGEN=tengen") // TestMain puts it on PATH
			output, err := test.CombinedOutput()
			var exit *exec.ExitError
			switch {
			case errors.As(err, &exit) && exit.ExitCode() == 77:
				t.Skipf("%s", output)
			case err != nil:
				t.Fatalf("%v\n%s", err, output)
			}
		})
	}
}

// pythonWithNumPy returns a Python interpreter, the one on PATH or the system's own, or skips the test.
func pythonWithNumPy(t *testing.T) string {
	t.Helper()
	found, _ := python()
	for _, python := range []string{found, "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	t.Skip("there is no python3 with numpy: on Debian, install python3-numpy")
	return ""
}
