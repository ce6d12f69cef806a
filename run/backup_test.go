package run

import (
	"os"
	"path/filepath"
	"testing"
)

// BackupRun follows a link to the run.
func TestBackupByALink(t *testing.T) {
	run, folder := copyTiny(t), t.TempDir()
	link, to := filepath.Join(folder, "link"), filepath.Join(folder, "copy")
	token := filepath.Join("worker", "token")
	noError(t, os.Mkdir(filepath.Join(run, "worker"), 0o700))
	noError(t, os.WriteFile(filepath.Join(run, token), []byte("secret\n"), 0o600))
	if err := os.Symlink(run, link); err != nil {
		t.Skip(err)
	}
	if b, err := BackupRun(t.Context(), link, to+string(filepath.Separator)); err != nil || b.Iteration != 2 || len(b.Problems) > 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	if got, err := os.ReadFile(filepath.Join(to, token)); err != nil || string(got) != "secret\n" {
		t.Errorf("the copy's %s holds %q, %v", token, got, err)
	}
	_, err := BackupRun(t.Context(), link, filepath.Join(run, "inside"))
	wantError(t, err, "name a folder elsewhere", true)
}
