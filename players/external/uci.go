package external

import (
	"fmt"
	"math"
	"os"
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
func (u *uci) await(p *process, command, end string, heed func(words []string)) error {
	if err := p.send("%s", command); err != nil {
		return err
	}
	for {
		line, err := p.next()
		if err != nil {
			return err
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if heed != nil {
			heed(words)
		}
		if words[0] == end {
			return nil
		}
	}
}

func (u *uci) begin(p *process, c *Command, b Board) error {
	p.farewell, u.options = "quit", map[string][]string{}
	err := u.await(p, "uci", "uciok", func(words []string) {
		if len(words) > 2 && words[0] == "id" && words[1] == "name" {
			c.identify(strings.Join(words[2:], " "), "")
		}
		if kind := slices.Index(words, "type"); kind > 2 && words[0] == "option" {
			u.options[strings.ToLower(strings.Join(words[2:kind], " "))] = words[kind:]
		}
	})
	if err != nil {
		return err
	}
	if u.options["uci_showwdl"] != nil {
		if err := p.send("setoption name UCI_ShowWDL value true"); err != nil {
			return err
		}
	}
	chosen := false
	for _, o := range c.Options {
		if o.Name == "nodes" || o.Name == "depth" {
			continue
		}
		if u.options[strings.ToLower(o.Name)] == nil {
			return fmt.Errorf("it has no option %q", o.Name)
		}
		if err := p.send("setoption name %s value %s", o.Name, o.Value); err != nil {
			return err
		}
		chosen = chosen || strings.EqualFold(o.Name, "UCI_Variant")
	}
	if !chosen {
		if err := u.choose(p, b); err != nil {
			return err
		}
	}
	return u.await(p, "isready", "readyok", nil)
}

// choose sets UCI_Variant. Boards that the program does not know are declared in a file in Fairy-Stockfish's form.
func (u *uci) choose(p *process, b Board) error {
	offered := u.options["uci_variant"]
	if !slices.Contains(offered, b.family()) {
		return fmt.Errorf("it does not offer %s among its variants (UCI_Variant): set that option to the name that it has there", b.family())
	}
	variant := b.family()
	if variant == "breakthrough" && b.Size != (game.Size{Rows: 8, Columns: 8}) {
		if u.options["variantpath"] == nil {
			return fmt.Errorf("it plays breakthrough on 8 by 8 cells alone: it has no option VariantPath")
		}
		f, err := os.CreateTemp("", "tengen-*.ini")
		if err != nil {
			return err
		}
		defer os.Remove(f.Name())
		variant = "tengen"
		_, err = f.WriteString(breakthroughVariant(variant, b.Size))
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err == nil {
			err = p.send("setoption name VariantPath value %s", f.Name())
		}
		if err == nil {
			err = u.await(p, "isready", "readyok", nil) // it has read the file
		}
		if err != nil {
			return err
		}
	}
	return p.send("setoption name UCI_Variant value %s", variant)
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

func (u *uci) move(p *process, c *Command, moves []Move, known int, _ uint32) (Answer, error) {
	answer := Answer{Value: float32(math.NaN())}
	if known < 0 {
		if err := p.send("ucinewgame"); err != nil {
			return answer, err
		}
		if err := u.await(p, "isready", "readyok", nil); err != nil {
			return answer, err
		}
	}
	position := "position startpos"
	if len(moves) > 0 {
		position += " moves"
	}
	for _, m := range moves {
		position += " " + m.Text
	}
	if err := p.send("%s", position); err != nil {
		return answer, err
	}
	limits := "go"
	for _, o := range c.Options {
		if o.Name == "nodes" || o.Name == "depth" {
			limits += " " + o.Name + " " + o.Value
		}
	}
	if c.Time > 0 {
		limits += fmt.Sprintf(" movetime %d", c.Time.Milliseconds())
	}
	err := u.await(p, limits, "bestmove", func(words []string) {
		switch words[0] {
		case "info":
			answer.heed(words)
		case "bestmove":
			answer.Text = strings.Join(words[1:min(2, len(words))], "")
		}
	})
	if err == nil && answer.Text == "" {
		err = fmt.Errorf("it answers %q without a move", "bestmove")
	}
	return answer, err
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
