package analysis_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"strings"

	"tengen/doors/analysis"
	"tengen/engine"
	"tengen/players"
)

// Two questions, of which each is answered as soon as it can be.
func ExampleServe() {
	e, err := engine.Open("connect4")
	if err != nil {
		log.Fatal(err)
	}
	spec, err := players.ParseSpec("alphabeta:6")
	if err != nil {
		log.Fatal(err)
	}
	config := analysis.Config{Player: spec, AnalyzeConfig: engine.AnalyzeConfig{Workers: 2}, Threads: 1}
	requests := strings.NewReader(`{"id":"attack","moves":"414141"}` + "\n" + `{"id":"defence","moves":"41414"}` + "\n")
	out, answers := io.Pipe()
	go func() {
		answers.CloseWithError(analysis.Serve(context.Background(), e, config, requests, answers))
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var a analysis.Answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: column %s\n", a.ID, a.Best)
	}
	// Unordered output:
	// attack: column 4
	// defence: column 4
}
