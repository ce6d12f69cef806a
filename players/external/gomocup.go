package external

import (
	"fmt"
	"regexp"
	"strings"

	"tengen/game"
)

// gomocup is the protocol of gomoku tournaments (Petr Laštovička, protocl2en.htm of Piskvork).
type gomocup struct{ size game.Size }

func (g *gomocup) write(move game.Target, _ string) string {
	return fmt.Sprintf("%d,%d", move.To%g.size.Columns, move.To/g.size.Columns)
}

// ask sends a command and returns the answer, leaving out messages.
func (g *gomocup) ask(p *process, format string, a ...any) string {
	command := fmt.Sprintf(format, a...)
	p.say("%s", command)
	for p.err == nil {
		line := strings.TrimSpace(p.hear())
		word, _, _ := strings.Cut(line, " ")
		switch strings.ToUpper(word) {
		case "", "MESSAGE", "DEBUG", "INFO":
		case "ERROR", "UNKNOWN":
			p.fail(fmt.Errorf("it refuses %q: %q", command, line))
		default:
			return line
		}
	}
	return ""
}

// order sends a command whose answer must be OK.
func (g *gomocup) order(p *process, command string) {
	if answer := g.ask(p, "%s", command); !strings.EqualFold(answer, "OK") {
		p.fail(fmt.Errorf("it answers %q to %s, not OK", answer, command))
	}
}

var about = regexp.MustCompile(`(name|version)\s*=\s*"([^"]*)"`)

func (g *gomocup) begin(p *process, c *Command, b Board) {
	rules, five := strings.CutPrefix(b.Game, fmt.Sprintf("mnk:%d,%d,5", b.Size.Columns, b.Size.Rows))
	if !five && b.Game != "gomoku" {
		p.fail(fmt.Errorf("the protocol of Gomocup has only five in a row, such as gomoku or mnk:20,20,5, not %s", b.Game))
	}
	p.farewell = "END"
	said := map[string]string{}
	for _, m := range about.FindAllStringSubmatch(g.ask(p, "ABOUT"), -1) {
		said[m[1]] = m[2]
	}
	c.identify(said["name"], said["version"])
	if b.Size.Rows == b.Size.Columns {
		g.order(p, fmt.Sprintf("START %d", b.Size.Rows))
	} else {
		g.order(p, fmt.Sprintf("RECTSTART %d,%d", b.Size.Columns, b.Size.Rows))
	}
	rule := 0
	if five && strings.Contains(rules, ",exact") {
		rule += 1
	}
	if five && strings.Contains(rules, ",caro") {
		rule += 8
	}
	p.say("INFO timeout_match 0")
	p.say("INFO time_left 2147483647")
	p.say("INFO game_type 1") // against a program
	p.say("INFO rule %d", rule)
	if c.Time > 0 {
		p.say("INFO timeout_turn %d", c.Time.Milliseconds())
	}
	for _, o := range c.Options {
		p.say("INFO %s %s", o.Name, o.Value)
	}
}

func (g *gomocup) move(p *process, _ *Command, moves []Move, known int, _ uint32, answer *Answer) {
	if known >= 0 && known == len(moves)-1 {
		answer.Text = g.ask(p, "TURN %s", moves[known].Text)
		return
	}
	g.order(p, "RESTART")
	if len(moves) == 0 {
		answer.Text = g.ask(p, "BEGIN")
		return
	}
	p.say("BOARD")
	for i, m := range moves {
		side := 2 - (len(moves)-i+1)%2 // 1: its own
		p.say("%s,%d", m.Text, side)
	}
	answer.Text = g.ask(p, "DONE")
}
