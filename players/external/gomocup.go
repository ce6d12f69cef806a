package external

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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
func (g *gomocup) ask(p *process, format string, a ...any) (string, error) {
	command := fmt.Sprintf(format, a...)
	if err := p.send("%s", command); err != nil {
		return "", err
	}
	for {
		line, err := p.next()
		if err != nil {
			return "", err
		}
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(word) {
		case "", "MESSAGE", "DEBUG", "INFO":
		case "ERROR", "UNKNOWN":
			return "", fmt.Errorf("it refuses %q: %q", command, line)
		default:
			return strings.TrimSpace(line), nil
		}
	}
}

var about = regexp.MustCompile(`(name|version)\s*=\s*"([^"]*)"`)

func (g *gomocup) begin(p *process, c *Command, b Board) error {
	rules, five := strings.CutPrefix(b.Game, fmt.Sprintf("mnk:%d,%d,5", b.Size.Columns, b.Size.Rows))
	if !five && b.Game != "gomoku" {
		return fmt.Errorf("the protocol of Gomocup has only five in a row, such as gomoku or mnk:20,20,5, not %s", b.Game)
	}
	p.farewell = "END"
	text, err := g.ask(p, "ABOUT")
	if err != nil {
		return err
	}
	said := map[string]string{}
	for _, m := range about.FindAllStringSubmatch(text, -1) {
		said[m[1]] = m[2]
	}
	c.identify(said["name"], said["version"])
	start := fmt.Sprintf("START %d", b.Size.Rows)
	if b.Size.Rows != b.Size.Columns {
		start = fmt.Sprintf("RECTSTART %d,%d", b.Size.Columns, b.Size.Rows)
	}
	if ok, err := g.ask(p, "%s", start); err != nil || !strings.EqualFold(ok, "OK") {
		return cmp.Or(err, fmt.Errorf("it answers %q to %s, not OK", ok, start))
	}
	rule := 0
	if five && strings.Contains(rules, ",exact") {
		rule += 1
	}
	if five && strings.Contains(rules, ",caro") {
		rule += 8
	}
	settings := []string{"timeout_match 0", "time_left 2147483647", "game_type 1", fmt.Sprintf("rule %d", rule)}
	if c.Time > 0 {
		settings = append(settings, fmt.Sprintf("timeout_turn %d", c.Time.Milliseconds()))
	}
	for _, o := range c.Options {
		settings = append(settings, o.Name+" "+o.Value)
	}
	for _, s := range settings {
		if err := p.send("INFO %s", s); err != nil {
			return err
		}
	}
	return nil
}

func (g *gomocup) move(p *process, _ *Command, moves []Move, known int, _ uint32) (answer Answer, err error) {
	answer.Value = float32(math.NaN())
	switch {
	case known >= 0 && known == len(moves)-1:
		answer.Text, err = g.ask(p, "TURN %s", moves[known].Text)
		return answer, err
	case known < 0:
		if ok, err := g.ask(p, "RESTART"); err != nil || !strings.EqualFold(ok, "OK") {
			return answer, cmp.Or(err, fmt.Errorf("it answers %q to RESTART, not OK", ok))
		}
	}
	if len(moves) == 0 {
		answer.Text, err = g.ask(p, "BEGIN")
		return answer, err
	}
	err = p.send("BOARD")
	for i, m := range moves {
		own := (len(moves)-i)%2 == 0
		side := map[bool]int{true: 1, false: 2}[own]
		err = errors.Join(err, p.send("%s,%d", m.Text, side))
	}
	if err == nil {
		answer.Text, err = g.ask(p, "DONE")
	}
	return answer, err
}
