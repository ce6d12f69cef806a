package external

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// uci is the Universal Chess Interface (Stefan Meyer-Kahlen, 2006), with UCI_Variant for other games.
type uci struct {
	options map[string][]string // that the program offers, in small letters, with the words of their declaration
}

func (u *uci) write(_ game.Target, notation string) string { return notation }

// await sends a command and passes the words of each line to heed, up to one that begins with end.
func (u *uci) await(p *process, command, end string, heed func(words []string)) {
	p.say("%s", command)
	for p.err == nil {
		words := strings.Fields(p.hear())
		if len(words) > 0 && heed != nil {
			heed(words)
		}
		if len(words) > 0 && words[0] == end {
			return
		}
	}
}

func (u *uci) begin(p *process, c *Command, b Board) {
	p.farewell, u.options = "quit", map[string][]string{}
	u.await(p, "uci", "uciok", func(words []string) {
		if len(words) > 2 && words[0] == "id" && words[1] == "name" {
			c.identify(strings.Join(words[2:], " "), "")
		}
		if kind := slices.Index(words, "type"); kind > 2 && words[0] == "option" {
			u.options[strings.ToLower(strings.Join(words[2:kind], " "))] = words[kind:]
		}
	})
	if u.options["uci_showwdl"] != nil {
		p.say("setoption name UCI_ShowWDL value true")
	}
	chosen := false
	for _, o := range c.Options {
		switch name := strings.ToLower(o.Name); {
		case o.limits():
		case u.options[name] == nil:
			p.fail(fmt.Errorf("it has no option %q", o.Name))
		case slices.Contains(u.options[name], "button"):
			p.say("setoption name %s", o.Name)
		default:
			p.say("setoption name %s value %s", o.Name, o.Value)
			chosen = chosen || name == "uci_variant"
		}
	}
	if !chosen && p.err == nil {
		p.fail(u.choose(p, b))
	}
	u.await(p, "isready", "readyok", nil)
}

// choose sets UCI_Variant. Boards that the program does not know are declared in a file in Fairy-Stockfish's form.
func (u *uci) choose(p *process, b Board) error {
	variant := b.family()
	if !slices.Contains(u.options["uci_variant"], variant) {
		err := fmt.Errorf("it does not offer %s among its variants (UCI_Variant)", variant)
		if b.Steps { // new pieces have another notation in UCI, such as P@f5
			err = fmt.Errorf("%w: if it has the game by another name, write UCI_Variant=NAME before the command", err)
		}
		return err
	}
	if variant == "breakthrough" && b.Size != (game.Size{Rows: 8, Columns: 8}) {
		if u.options["variantpath"] == nil {
			return errors.New("it plays breakthrough on 8 by 8 cells alone: it has no option VariantPath")
		}
		folder, err := os.MkdirTemp("", "tengen-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		variant = "tengen"
		file := filepath.Join(folder, "variants.ini")
		if err := os.WriteFile(file, []byte(breakthroughVariant(variant, b.Size)), 0o600); err != nil {
			return err
		}
		p.say("setoption name VariantPath value %s", file)
		u.await(p, "isready", "readyok", nil) // it has read the file
	}
	p.say("setoption name UCI_Variant value %s", variant)
	return nil
}

// breakthroughVariant declares a board of breakthrough.
func breakthroughVariant(name string, size game.Size) string {
	row := func(piece string) string { return strings.Repeat(piece, size.Columns) }
	rows := []string{row("p"), row("p")}
	for range size.Rows - 4 {
		rows = append(rows, strconv.Itoa(size.Columns))
	}
	rows = append(rows, row("P"), row("P"))
	return fmt.Sprintf("[%s:breakthrough]\nmaxRank = %d\nmaxFile = %d\nstartFen = %s w - - 0 1\nflagRegionWhite = *%d\nflagRegionBlack = *1\n",
		name, size.Rows, size.Columns, strings.Join(rows, "/"), size.Rows)
}

func (u *uci) move(p *process, c *Command, moves []Move, known int, _ uint32, answer *Answer) {
	if known < 0 {
		p.say("ucinewgame")
		u.await(p, "isready", "readyok", nil)
	}
	position, limits := "position startpos", "go"
	for i, m := range moves {
		if i == 0 {
			position += " moves"
		}
		position += " " + m.Text
	}
	p.say("%s", position)
	for _, o := range c.Options {
		if o.limits() {
			limits += " " + o.Name + " " + o.Value
		}
	}
	if c.Time > 0 {
		limits += fmt.Sprintf(" movetime %d", c.Time.Milliseconds())
	}
	u.await(p, limits, "bestmove", func(words []string) {
		switch {
		case words[0] == "info":
			answer.heed(words)
		case words[0] == "bestmove" && len(words) > 1:
			answer.Text = words[1]
		}
	})
}

// heed takes over what an info line says of the best line. Centipawns are no value: how much a piece is worth differs.
func (a *Answer) heed(words []string) {
	number := func(i int) int {
		if i >= len(words) {
			return 0
		}
		n, _ := strconv.Atoi(words[i])
		return n
	}
	for i, word := range words {
		switch word {
		case "string":
			return
		case "multipv":
			if number(i+1) > 1 {
				return
			}
		case "nodes":
			a.Nodes = number(i + 1)
		case "score":
			a.Value = float32(math.NaN()) // a line before may have had a mate
		case "mate":
			a.Value = 1
			if number(i+1) <= 0 {
				a.Value = -1
			}
		case "wdl":
			a.Value = float32(number(i+1)-number(i+3)) / 1000
		case "pv":
			a.PV = words[i+1:]
			return
		}
	}
}
