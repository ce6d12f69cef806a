package inbrowser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"syscall/js"
)

// worker is the Web Worker in which the program runs. worker.js has started it, engine.js talks to it. A message from
// the page is a request {id, method, address, body}, the end of one {id}, or a model {model, data} or {model, error}.
// A message to the page is {ready: build} once, a part of an answer {id, status, headers, body}, the last one {id}, or
// a request for a model {model}.
type worker struct {
	handler http.Handler
	stops   map[int]func() // of the requests in progress
	arrived chan js.Value  // the message with a model
}

// Main answers the page's requests, and never returns. worker.js has set site to the Site as JSON.
func Main() {
	w := &worker{stops: map[int]func(){}, arrived: make(chan js.Value, 1)}
	var site Site
	err := json.Unmarshal([]byte(js.Global().Get("site").String()), &site)
	if err == nil {
		w.handler, err = site.Handler(w.load)
	}
	if err != nil {
		panic(err)
	}
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.hear(args[0].Get("data"))
		return nil
	}))
	post(map[string]any{"ready": Build})
	select {}
}

func post(message map[string]any) { js.Global().Call("postMessage", message) }

// hear handles a message from the page. It must not wait: nothing else happens meanwhile.
func (w *worker) hear(m js.Value) {
	if !m.Get("model").IsUndefined() {
		w.arrived <- m
		return
	}
	id := m.Get("id").Int()
	if stop := w.stops[id]; m.Get("address").IsUndefined() {
		if stop != nil {
			stop()
		}
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stops[id] = stop
	method, address, body := m.Get("method").String(), m.Get("address").String(), m.Get("body").String()
	go func() {
		defer stop()
		Answer(ctx, w.handler, method, address, body, func(status int, header http.Header, part []byte) {
			headers := map[string]any{}
			for name := range header {
				headers[name] = header.Get(name)
			}
			post(map[string]any{"id": id, "status": status, "headers": headers, "body": bytesOf(part)})
		})
		delete(w.stops, id)
		post(map[string]any{"id": id})
	}()
}

func bytesOf(p []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(p))
	js.CopyBytesToJS(array, p)
	return array
}

// load asks the page for a model's file, and waits for it. models wants one at a time.
func (w *worker) load(name string) ([]byte, error) {
	post(map[string]any{"model": name})
	m := <-w.arrived
	if failure := m.Get("error"); !failure.IsUndefined() {
		return nil, errors.New(failure.String())
	}
	array := js.Global().Get("Uint8Array").New(m.Get("data"))
	content := make([]byte, array.Length())
	js.CopyBytesToGo(content, array)
	return content, nil
}
