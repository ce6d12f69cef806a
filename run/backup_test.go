package run

import (
	"os"
	"path/filepath"
	"testing"
)

// The copy of a run that is named by a link has all that the run has.
func TestBackupByALink(t *testing.T) {
	folder := t.TempDir()
	run, link, to := filepath.Join(folder, "run"), filepath.Join(folder, "link"), filepath.Join(folder, "copy")
	if err := os.CopyFS(run, os.DirFS(tinyRun(t))); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join("worker", "token")
	if err := os.Mkdir(filepath.Join(run, "worker"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, token), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
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
