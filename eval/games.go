package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"tengen/game"
	"tengen/internal/files"
)

// GamesFile keeps the games of a match, so that a stopped match can go on: a JSON object a line, of which the first says
// which match it is. It is not safe for concurrent use.
type GamesFile[S game.State[S]] struct {
	file *os.File
	game game.Game[S]
	id   matchID
}

// matchID is the first line: what the games must have in common.
type matchID struct {
	Player        string `json:"player"`
	Against       string `json:"against"`
	Game          string `json:"game"`
	Seed          uint64 `json:"seed"`
	OpeningPlies  int    `json:"opening_plies"`
	FixedOpenings string `json:"fixed_openings,omitempty"`
	Settings      string `json:"settings,omitempty"`
}

// gameLine is a MatchGame.
type gameLine struct {
	Number  int    `json:"game"`
	First   string `json:"first"`  // a player's name
	Second  string `json:"second"` // likewise
	Opening int    `json:"opening"`
	Moves   string `json:"moves"` // in the game's notation
	Outcome int8   `json:"outcome"`
	Forfeit string `json:"forfeit,omitempty"`
	Fault   bool   `json:"fault,omitempty"`
}

// maxGamesFile is the largest file to read in bytes: a million games.
const maxGamesFile = 1 << 30

// OpenGames opens or creates a match's file and returns the games in it, for MatchConfig.Played. A last line that was not
// written to its end is removed. A file of another match is an error.
func OpenGames[S game.State[S]](path string, c MatchConfig, g game.Game[S], player, against string) (*GamesFile[S], []MatchGame, error) {
	id := matchID{player, against, g.Name(), c.Seed, c.OpeningPlies, c.Fixed.Name, c.Settings}
	file, err := files.Open(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	f := &GamesFile[S]{file, g, id}
	played, err := f.read(c.Games)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, played, nil
}

func (f *GamesFile[S]) read(games int) (played []MatchGame, err error) {
	text, err := io.ReadAll(io.LimitReader(f.file, maxGamesFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxGamesFile {
		return nil, fmt.Errorf("the file has more than %d bytes: name another file", maxGamesFile)
	}
	if len(text) == 0 {
		return nil, f.write(f.id)
	}
	lines := bytes.Split(text, []byte("\n"))
	if id := (matchID{}); len(lines) == 1 || json.Unmarshal(lines[0], &id) != nil || id != f.id {
		return nil, errors.New("the file holds something else or another match: name another file")
	}
	if whole := bytes.LastIndexByte(text, '\n') + 1; whole < len(text) {
		if err := os.Truncate(f.file.Name(), int64(whole)); err != nil {
			return nil, err
		}
	}
	seen := map[int]bool{}
	for i, line := range lines[1 : len(lines)-1] {
		r, err := f.parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: remove the line to play its game again", i+2, err)
		}
		if r.Number < games && !seen[r.Number] {
			played = append(played, r)
		}
		seen[r.Number] = true
	}
	return played, nil
}

func (f *GamesFile[S]) parse(line []byte) (MatchGame, error) {
	var l gameLine
	if err := json.Unmarshal(line, &l); err != nil {
		return MatchGame{}, err
	}
	moves, s, err := game.ParseMoves(f.game.Start(), l.Moves)
	if err != nil {
		return MatchGame{}, err
	}
	r := MatchGame{
		Number: l.Number, PlayerFirst: l.Number%2 == 0, Opening: l.Opening, Moves: moves, Outcome: l.Outcome, Forfeit: l.Forfeit, Fault: l.Fault,
	}
	z, over := s.Outcome()
	if over != (r.Forfeit == "") || over && game.FirstPlayerOutcome(z, s.ToMove()) != r.Outcome || r.Number < 0 || r.Outcome*r.Outcome > 1 {
		return r, errors.New("the outcome does not follow from the moves")
	}
	return r, nil
}

// Add appends a game.
func (f *GamesFile[S]) Add(r MatchGame) error {
	first, second := f.id.Player, f.id.Against
	if !r.PlayerFirst {
		first, second = second, first
	}
	return f.write(gameLine{r.Number, first, second, r.Opening, game.FormatMoves(f.game.Start(), r.Moves), r.Outcome, r.Forfeit, r.Fault})
}

func (f *GamesFile[S]) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = f.file.Write(append(line, '\n'))
	}
	return err
}

// Close closes the file.
func (f *GamesFile[S]) Close() error { return f.file.Close() }
