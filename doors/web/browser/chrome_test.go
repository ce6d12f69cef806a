// Package browser tests the pages of package web in a real Chromium, which it drives by the DevTools protocol. It is
// a separate module, so that tengen does not depend on the driver. Without Chromium, the tests are skipped.
//
// Tests find elements by accessible role and name, as a screen reader does, and wait for the page's response. No
// test sleeps. Timeouts only stop tests that fail. At its end, a test fails if its page had errors: see page.blame.
package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tengen/engine"
	"tengen/run/games"
	"tengen/run/runtest"
)

// patience is how long a test waits for its page before it fails.
const patience = time.Minute

// chrome is the browser that all tests share.
var chrome struct {
	once sync.Once
	ctx  context.Context
	end  context.CancelFunc
	err  error
}

func TestMain(m *testing.M) {
	games.Register()
	engine.Register(families...)
	code := m.Run()
	runtest.RemoveRun()
	if chrome.end != nil {
		chrome.end()
	}
	os.Exit(code)
}

// startChrome returns the context of the shared browser. It skips the test if there is no Chromium.
func startChrome(t testing.TB) context.Context {
	t.Helper()
	path, err := findChrome()
	if err != nil {
		t.Skip(err)
	}
	chrome.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), // nothing leaves the machine
			chromedp.Flag("disable-component-update", true),
			chromedp.DisableGPU,
			chromedp.Flag("disable-software-rasterizer", true), // of the GPU
			chromedp.Flag("hide-scrollbars", true),
		)
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // root has no sandbox
		}
		allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocator)
		chrome.ctx, chrome.end = ctx, func() {
			cancel()
			end()
		}
		chrome.err = chromedp.Do(ctx) // starts the browser
	})
	if chrome.err != nil {
		t.Fatalf("%s does not start: %v", path, chrome.err)
	}
	return chrome.ctx
}

// findChrome returns the path of a Chromium.
func findChrome() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no Chromium on this machine: apt-get install chromium")
}
