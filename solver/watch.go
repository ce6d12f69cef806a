package solver

import "context"

// watch lets a search notice, at little cost, that its context has ended.
type watch struct {
	ctx   context.Context
	calls uint
	err   error // why the search must stop
}

func newWatch(ctx context.Context) watch { return watch{ctx: ctx, err: ctx.Err()} }

// stopped reports whether the search must stop. It asks the context once in 1024 calls.
func (w *watch) stopped() bool {
	if w.calls++; w.calls%1024 == 0 && w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}
