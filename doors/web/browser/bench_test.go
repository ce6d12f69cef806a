package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

// BenchmarkFirstPicture measures a first visit to a server on this machine, with an empty cache: the time from the
// start of navigation to the first paint (paint-ms) and to the board (board-ms), and the kilobytes transferred until
// then (KB). The goals are 300 ms and 70 KB, and over a slow network, 3 s to the board.
//
//	go test -run '^$' -bench . -benchtime 5x
func BenchmarkFirstPicture(b *testing.B) {
	b.Run("here", func(b *testing.B) { benchmarkFirstPicture(b, func(*page) {}) })
	b.Run("slow", func(b *testing.B) {
		benchmarkFirstPicture(b, func(p *page) {
			_, err := chromedp.Call(p.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{{Latency: 400, DownloadThroughput: 50_000, UploadThroughput: 50_000}},
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	})
}

func benchmarkFirstPicture(b *testing.B, slow func(*page)) {
	s := serve(b, nil)
	var paint, board, kilobytes float64
	for b.Loop() {
		p := blank(b, s, desk)
		slow(p)
		p.do(chromedp.Navigate(s.url + "/#/play?game=connect4"))
		p.wait(`document.querySelector('[role=gridcell]')`)
		board += eval[float64](p, `performance.now()`)
		p.wait(`performance.getEntriesByName('first-contentful-paint').length`)
		paint += eval[float64](p, `performance.getEntriesByName('first-contentful-paint')[0].startTime`)
		kilobytes += eval[float64](p, `performance.getEntries().reduce((n, e) => n + (e.transferSize || 0), 0) / 1000`)
	}
	b.ReportMetric(paint/float64(b.N), "paint-ms")
	b.ReportMetric(board/float64(b.N), "board-ms")
	b.ReportMetric(kilobytes/float64(b.N), "KB")
}

// BenchmarkFirstAnalysis measures the time from a move on the board to the first analysis of the new position. The
// goal is 200 ms.
func BenchmarkFirstAnalysis(b *testing.B) {
	p := blank(b, serve(b, nil), desk)
	sum := 0.0
	for b.Loop() {
		p.visit("#/analyse?game=connect4&by=connect4~100000s")
		p.wait(`document.querySelector('.candidate')`)
		sum += eval[float64](p, `new Promise((done) => {
			const began = performance.now();
			const look = () => (document.querySelector('[aria-label$="last move"]') && document.querySelector('.candidate')
				? done(performance.now() - began) : requestAnimationFrame(look));
			document.querySelector('[role=gridcell]').click();
			look();
		})`)
	}
	b.ReportMetric(sum/float64(b.N), "analysis-ms")
}

// watched is how long BenchmarkWatchedSearch watches a search.
const watched = 20 * time.Second

// BenchmarkWatchedSearch measures the browser's processor use while it shows a gomoku search: processor seconds per
// second (cores), changes of the figures per second (changes/s), and processor time per change (ms/change). The goal
// is less than one core.
func BenchmarkWatchedSearch(b *testing.B) {
	p := blank(b, serve(b, nil), desk)
	var spent, changes float64
	for b.Loop() {
		p.visit("#/analyse?game=gomoku&moves=h8+i9+i8+g8+h9+h10&by=gomoku~60000ms")
		p.wait(`document.querySelector('.candidate')`)
		before := p.processorSeconds()
		changes += eval[float64](p, fmt.Sprintf(`new Promise((done) => {
			let [n, shown] = [0, ''];
			const count = () => {
				const now = document.querySelector('.verdict').innerText;
				if (now !== shown) [n, shown] = [n + 1, now];
			};
			new MutationObserver(count).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
			setTimeout(() => done(n), %d);
		})`, watched.Milliseconds()))
		spent += p.processorSeconds() - before
	}
	seconds := float64(b.N) * watched.Seconds()
	b.ReportMetric(spent/seconds, "cores")
	b.ReportMetric(changes/seconds, "changes/s")
	b.ReportMetric(1000*spent/changes, "ms/change")
}

// processorSeconds returns the processor time that the browser's processes have used.
func (p *page) processorSeconds() (sum float64) {
	p.t.Helper()
	info, err := chromedp.CallBrowser(p.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, process := range info.ProcessInfo {
		sum += process.CPUTime
	}
	return sum
}
