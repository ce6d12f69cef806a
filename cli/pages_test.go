package cli

import (
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/internal/fulltest"
	"tengen/run"
)

// TestPages types the commands of pages that new users follow, from top to bottom in one folder, in a terminal of 80 columns, and
// compares what the terminal shows with the page. A line "..." stands for any lines. Figures count only in a command's first line,
// since times differ and the test cuts trainings and matches short. It does not run commands without printed lines.
func TestPages(t *testing.T) {
	fulltest.Only(t)
	for _, page := range []string{"README.md", "docs/first-run.md"} {
		t.Run(page, func(t *testing.T) {
			folder := t.TempDir()
			for _, l := range listings(string(readFile(t, filepath.Join("..", page)))) {
				if len(l.lines) > 0 {
					l.check(t, folder)
				}
			}
		})
	}
}

// The commands of docs/configure.md and docs/solver.md print what they say, to the digit but for times.
func TestPagesToTheDigit(t *testing.T) {
	fulltest.Only(t)
	configure, solver := string(readFile(t, "../docs/configure.md")), string(readFile(t, "../docs/solver.md"))
	t.Chdir(t.TempDir())
	_, file, _ := strings.Cut(configure, "rows:\n\n")
	file, _, _ = strings.Cut(file, "\n\n")
	if err := os.WriteFile("own.yaml", []byte(strings.ReplaceAll(file, "    ", "")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, l := range slices.Concat(listings(configure), listings(solver)) {
		in, command, piped := strings.Cut(strings.TrimPrefix(l.command, "echo "), " | ")
		if !piped {
			in, command = "", l.command
		}
		var out strings.Builder
		args := strings.Fields(command)
		if code := execute(t.Context(), args[1:], strings.NewReader(in), &out, io.Discard); code != exitOK {
			t.Errorf("%s: exit status %d", l.command, code)
		}
		printed := times.ReplaceAllString(out.String(), "$1$2 TIME")
		for _, line := range l.lines {
			if line != "..." && !strings.Contains(printed, times.ReplaceAllString(line, "$1$2 TIME")) {
				t.Errorf("%s\nprints\n%s\nwithout the page's line\n%s", l.command, printed, line)
			}
		}
	}
}

// times matches the duration of a training run, and solve's time in microseconds.
var times = regexp.MustCompile(`(after) [0-9:]+|(?m:^(\d+ -?\d+ \d+) \d+)`)

// Tables of keys have the defaults of the program.
func TestDefaultsInPages(t *testing.T) {
	defaults, rows := map[string]string{}, 0
	for _, s := range run.DefaultConfig().Settings() {
		defaults[s.Key] = s.Value
	}
	for _, page := range []string{"docs/configure.md", "docs/interfaces/http.md"} {
		for _, m := range stated.FindAllStringSubmatch(string(readFile(t, filepath.Join("..", page))), -1) {
			key, value := m[1]+m[3], m[2]+m[4]
			if want, ok := defaults[key]; ok && value != want {
				t.Errorf("%s says that %s is %s, but the default is %s", page, key, value, want)
			} else if ok {
				rows++
			}
		}
	}
	http := string(readFile(t, "../docs/interfaces/http.md"))
	for _, form := range engine.Families() {
		if form != "march" && !strings.Contains(http, `"`+form+`"`) {
			t.Errorf("docs/interfaces/http.md lacks the family %s", form)
		}
	}
	if rows < 11 {
		t.Errorf("%d defaults were found", rows)
	}
}

// stated is a default in a table, or in an answer of the web server.
var stated = regexp.MustCompile("(?m)^\\| `([a-z_.]+)`(?:, `[a-z_.]+`)? \\| `?([^ `|]+)`? \\||\"defaults\": \\{\"([a-z_.]+)\": (\\w+)")

// listing is a command of a page with what it prints.
type listing struct {
	command string
	lines   []string
}

// listings returns the listings of a page: its indented blocks. A block without a command continues the one before it.
func listings(page string) (all []listing) {
	inside, blanks := false, 0
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		code, indented := strings.CutPrefix(line, "    ")
		if line == "" {
			blanks++
			continue
		}
		if command, ok := strings.CutPrefix(code, "$ "); ok && indented {
			all = append(all, listing{command: command})
		} else if last := len(all) - 1; indented && last >= 0 && strings.HasSuffix(all[last].command, "\\") {
			all[last].command = strings.TrimSuffix(all[last].command, "\\") + strings.TrimSpace(code)
		} else if indented && len(all) > 0 {
			l := &all[len(all)-1]
			if !inside {
				l.lines = append(l.lines, "...")
			} else {
				l.lines = append(l.lines, make([]string, blanks)...)
			}
			l.lines = append(l.lines, code)
		}
		inside, blanks = indented, 0
	}
	return all
}

// check runs the command in a folder. It types the page's moves and then Ctrl-D, and Ctrl-C once a training has printed the lines
// before its summary.
func (l listing) check(t *testing.T, folder string) {
	t.Helper()
	text := strings.Join(l.lines, "\n") + "\n"
	if screen(text) != text {
		t.Errorf("%s: the page has lines of more than %d columns:\n%s", l.command, columns, text)
	}
	args := strings.Fields(strings.ReplaceAll(l.command, "--games 200", "--games 4"))
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "TERM=xterm", "NO_COLOR=")
	rows := math.MaxInt
	if args[1] == "train" {
		cmd.Env = append(cmd.Env, "TENGEN_TRAIN_GAMES_PER_ITERATION=20", "TENGEN_TRAIN_EVALUATE_EVERY=10", "TENGEN_EVAL_GAMES=4",
			"TENGEN_EVAL_GRADE_POSITIONS=10")
		before, _, _ := strings.Cut(text, " took ")
		rows = strings.Count(before, "\n") - strings.Count(before, "...\n")
	}
	var moves []string
	for _, answered := range prompt.FindAllStringSubmatch(text, -1) {
		moves = append(moves, answered[1]+"\r")
	}
	const ctrlC, ctrlD = "\x03", "\x04"
	moves = append(moves, ctrlD)

	person := startInTerminal(t, cmd)
	output, shown, part := "", "", make([]byte, 4096)
	for prompts := 0; ; {
		n, err := person.Read(part)
		if err != nil {
			break // the command has ended
		}
		output += string(part[:n])
		shown = screen(output)
		if strings.Count(shown, "\n") >= rows {
			rows = math.MaxInt
			io.WriteString(person, ctrlC)
		}
		if strings.Count(shown, " to move> ") > prompts && prompts < len(moves) {
			io.WriteString(person, moves[prompts])
			prompts++
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", l.command, err)
	}
	want := strings.ReplaceAll(regexp.QuoteMeta(comparable(text)), `\.\.\.`+"\n", `(.*\n)*`)
	if got := comparable(shown); !regexp.MustCompile(`^` + want + `$`).MatchString(got) {
		t.Errorf("%s\nprints\n%s\nThe page has\n%s", l.command, got, comparable(text))
	}
}

const columns = 80

// screen returns the lines that a terminal shows after some output, without colours.
func screen(output string) string {
	const erase = '\v' // stands for the escape sequence
	output = strings.ReplaceAll(colour.ReplaceAllString(output, ""), "\x1b[K", string(erase))
	var text strings.Builder
	var line []rune
	column := 0
	for _, r := range output {
		if r == '\n' || r >= ' ' && column == columns {
			text.WriteString(string(line) + "\n")
			line, column = nil, 0
		}
		switch {
		case r == '\n':
		case r == '\r':
			column = 0
		case r == erase:
			line = line[:column]
		default:
			line = slices.Replace(line, column, min(column+1, len(line)), r)
			column++
		}
	}
	return text.String() + string(line)
}

var (
	colour   = regexp.MustCompile(`\x1b\[[\d;]*m`)
	prompt   = regexp.MustCompile(`(?m) to move> (.+)$`)
	checksum = regexp.MustCompile(`sha256 [0-9a-f]+`)
	figure   = regexp.MustCompile(`[+-]?\d[\d.,:/]*`)
	duration = regexp.MustCompile(`about # (s|min|h) `)
	elo      = regexp.MustCompile(`(above|below) #\n`)
	counted  = regexp.MustCompile(`# (win|draw|loss)(?:s|es)?\b`)
	spaces   = regexp.MustCompile(` +`)
)

// comparable replaces the figures by #, except in the first line of a command that does not depend on a training. It
// replaces counted wins, draws and losses by their singular, and several spaces by one.
func comparable(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.Contains(first, "checkpoints/") {
		first, rest = "", text
	}
	rest = figure.ReplaceAllString(checksum.ReplaceAllString(rest, "sha256 #"), "#")
	rest = elo.ReplaceAllString(duration.ReplaceAllString(rest, "about # min "), "# (# – #)\n")
	rest = counted.ReplaceAllString(rest, "# $1")
	rest = spaces.ReplaceAllString(rest, " ")
	return strings.ReplaceAll(first+"\n"+rest, " \n", "\n")
}
