package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// BenchmarkFirstPicture is how long a new visitor on this machine waits, with nothing in the cache: until the browser shows
// something at all (paint-ms), and until the board stands there (board-ms), both from the beginning of the navigation. KB are what
// all requests have brought until then. Goals are 300 ms and 300 KB.
//
//	go test -run '^$' -bench . -benchtime 5x
func BenchmarkFirstPicture(b *testing.B) {
	s := serve(b, nil)
	var paint, board, kilobytes float64
	for b.Loop() {
		p := blank(b, s, desk)
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

// BenchmarkFirstAnalysis is how long it takes from a move on the board until the page shows what a search thinks about it. The goal
// is 200 ms.
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
