package inbrowser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"syscall/js"
)

// worker is the Web Worker in which the program runs. worker.js has started it, engine.js talks to it. A message from
// the page is a request {id, method, address, body}, the end of one {id}, or a model {model, data} or {model, error}.
// A message to the page is {ready: build} once, a part of an answer {id, status, headers, body}, the last one {id}, or
// a request for a model {model}.
type worker struct {
	handler http.Handler
	stops   map[int]func()                   // of the requests in progress
	loading map[string][]func([]byte, error) // who waits for a model
}

// Main answers the page's requests, and never returns. worker.js has set site to the Site as JSON.
func Main() {
	w := &worker{stops: map[int]func(){}, loading: map[string][]func([]byte, error){}}
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
	if model := m.Get("model"); !model.IsUndefined() {
		w.loaded(model.String(), m)
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
	q := Request{Method: m.Get("method").String(), Address: m.Get("address").String(), Body: m.Get("body").String()}
	go func() {
		defer stop()
		Answer(ctx, w.handler, q, func(p Part) {
			headers := map[string]any{}
			for name := range p.Header {
				headers[name] = p.Header.Get(name)
			}
			post(map[string]any{"id": id, "status": p.Status, "headers": headers, "body": bytesOf(p.Body)})
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

// load asks the page for a model's file, and waits for it.
func (w *worker) load(file string) (content []byte, err error) {
	arrived := make(chan struct{})
	w.loading[file] = append(w.loading[file], func(c []byte, e error) {
		content, err = c, e
		close(arrived)
	})
	if len(w.loading[file]) == 1 {
		post(map[string]any{"model": file})
	}
	<-arrived
	return content, err
}

func (w *worker) loaded(file string, m js.Value) {
	var content []byte
	var err error
	if failure := m.Get("error"); failure.Truthy() {
		err = errors.New(strings.TrimSpace(failure.String()))
	} else {
		array := js.Global().Get("Uint8Array").New(m.Get("data"))
		content = make([]byte, array.Length())
		js.CopyBytesToGo(content, array)
	}
	for _, arrive := range w.loading[file] {
		arrive(content, err)
	}
	delete(w.loading, file)
}
