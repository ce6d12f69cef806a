package cluster

import "fmt"

// summary tells of the first of many losses one by one, and of the others in one message.
type summary struct {
	report func(error)
	n      int
	last   error
}

// oneByOne is the number of losses that are told one by one.
const oneByOne = 10

func newSummary(report func(error)) *summary { return &summary{report: report} }

func (s *summary) add(err error) {
	if s.n, s.last = s.n+1, err; s.n <= oneByOne {
		s.report(err)
	}
}

// end tells of those that were not told of yet.
func (s *summary) end() {
	if more := s.n - oneByOne; more > 0 {
		s.report(fmt.Errorf("more like that: %d; the last was %w", more, s.last))
	}
}
