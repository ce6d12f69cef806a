package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/internal/fulltest"
	"tengen/train/checkpoint"
)

// twoHosts makes two network namespaces with a cable between them, and returns their names and the address of the first.
// It skips the test where that is not possible.
func twoHosts(t *testing.T) (trainer, worker, address string) {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("there is no ip command (iproute2) to make a network with")
	}
	id := os.Getpid()
	trainer, worker, address = fmt.Sprintf("tengen-t%d", id), fmt.Sprintf("tengen-w%d", id), "10.199.7.1"
	t.Cleanup(func() {
		exec.Command("ip", "netns", "del", trainer).Run()
		exec.Command("ip", "netns", "del", worker).Run()
	})
	for _, command := range []string{
		"netns add " + trainer,
		"netns add " + worker,
		fmt.Sprintf("-n %s link add cable type veth peer name cable netns %s", trainer, worker),
		fmt.Sprintf("-n %s addr add %s/24 dev cable", trainer, address),
		fmt.Sprintf("-n %s addr add 10.199.7.2/24 dev cable", worker),
		fmt.Sprintf("-n %s link set lo up", trainer),
		fmt.Sprintf("-n %s link set cable up", trainer),
		fmt.Sprintf("-n %s link set cable up", worker),
	} {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			t.Skipf("no network can be made here: ip %s: %v: %s", command, err, out)
		}
	}
	return trainer, worker, address
}

// A worker whose network is cut, for a minute with -acceptance, plays on when it is back: the run finishes, and no game is
// lost. The link is slow as well, where the kernel can do that.
func TestNetworkIsCut(t *testing.T) {
	iterations, outage := fulltest.Pick(6, 30), fulltest.Pick(time.Second, 5*time.Second)
	if *acceptance {
		outage = time.Minute
	}
	trainerHost, workerHost, address := twoHosts(t)
	if err := exec.Command("ip", "netns", "exec", workerHost, "tc", "qdisc", "add", "dev", "cable", "root", "netem", "delay", "30ms").Run(); err != nil {
		t.Logf("the link is not slow: %v", err)
	}
	tengen, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	in := func(host string, args ...string) *process {
		p := &process{Cmd: exec.Command("ip", append([]string{"netns", "exec", host, tengen}, args...)...)}
		p.Cmd.Stdout = io.Discard
		p.Stderr = &p.errOut
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	trainer := in(trainerHost, "train", "--config", tiny, "--run", dir, "--listen", address+":4222",
		"--set", "cluster.local=false", "--set", fmt.Sprint("train.iterations=", iterations))
	t.Cleanup(func() { trainer.Process.Kill() })
	published := func(iteration int) func() bool {
		return func() bool {
			_, err := os.Stat(filepath.Join(dir, checkpoint.ModelName(iteration)))
			return err == nil
		}
	}
	waitFor(t, published(0))
	worker := in(workerHost, "worker", "--server", "nats://"+address+":4222", "--token-file", addWorker(t, dir, "far"))
	t.Cleanup(func() { worker.Process.Kill() })
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the trainer: %s\nthe worker: %s", &trainer.errOut, &worker.errOut)
		}
	})

	waitFor(t, published(3))
	cable := func(state string) {
		if err := exec.Command("ip", "-n", workerHost, "link", "set", "cable", state).Run(); err != nil {
			t.Fatal(err)
		}
	}
	cable("down")
	time.Sleep(outage)
	cable("up")
	if err := trainer.Wait(); err != nil {
		t.Errorf("the run ended with %v\n%s", err, &trainer.errOut)
	}
	if err := worker.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker ended with %v\n%s", err, &worker.errOut)
	}
	if games := len(storedGames(t, dir)); games != 8*iterations {
		t.Errorf("%d games, want %d", games, 8*iterations)
	}
}

// waitFor waits, ten minutes at most.
func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !ready(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not happen within ten minutes")
		}
	}
}
