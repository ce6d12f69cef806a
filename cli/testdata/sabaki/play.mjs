// Plays ten games of tengen against itself as Sabaki does: its client sends moves, and brings the other engine up to
// date by play, undo and clear_board. It prints a line for each game.

import gtp from '@sabaki/gtp'
import assert from 'node:assert/strict'

const games = [
  ['gomoku', [9, 9]],
  ['othello', [6, 6]],
  ['connect4', [8, 7]],
  ['breakthrough', [5, 5]],
  ['mnk:15,15,5,exact', [7, 7]],
]

// watched sends an analysis and, after its first line, the command that ends it.
async function watched(engine) {
  let analysis
  const line = await new Promise(resolve => {
    analysis = engine.controller.sendCommand({name: 'lz-analyze', args: ['B', '1']}, ({line}) => {
      if (line.startsWith('info ')) resolve(line)
    })
  })
  assert.match(line, /^info move \S+ visits \d+ winrate \d+ prior \d+ lcb \d+ order 0 pv \S+/)
  assert.equal((await engine.controller.sendCommand({name: 'name'})).content, 'tengen')
  assert.equal((await analysis).error, false)
}

for (let number = 0; number < 10; number++) {
  const [name, boardsize] = games[number % games.length]
  const args = ['gtp', '--game', name, '--player', 'uct:20', '--threads', '1', '--seed', `${number + 1}`]
  const engines = [0, 1].map(() => new gtp.ControllerStateTracker(new gtp.Controller('tengen', args)))
  engines.forEach(e => e.controller.start())
  const commands = await engines[0].controller.sendCommand({name: 'list_commands'})
  for (const command of ['undo', 'genmove', 'lz-analyze']) assert.ok(commands.content.split('\n').includes(command))

  const history = []
  for (let passes = 0; passes < 2;) {
    const colour = 'BW'[history.length % 2]
    const engine = engines[history.length % 2]
    await engine.sync({komi: 6.5, boardsize, history})
    if (history.length === 6) { // take back a move, and play it again
      await engine.sync({komi: 6.5, boardsize, history: history.slice(0, 5)})
      await engine.sync({komi: 6.5, boardsize, history})
      if (name === 'gomoku') await watched(engine)
    }
    const {content, error} = await engine.queueCommand({name: 'genmove', args: [colour]})
    if (error) break // the game is over
    passes = content === 'pass' ? passes + 1 : 0
    history.push({name: 'play', args: [colour, content.toUpperCase()]})
  }
  // At the end of Othello, both sides pass, which are no moves.
  while (name === 'othello' && history.at(-1).args[1] === 'PASS') history.pop()
  const scores = []
  for (const engine of engines) {
    await engine.controller.sendCommand({name: 'clear_board'})
    await engine.sync({boardsize, history})
    scores.push((await engine.controller.sendCommand({name: 'final_score'})).content)
    await engine.controller.stop()
  }
  assert.match(scores[0], /^([BW]\+\d+|0)$/)
  assert.equal(scores[0], scores[1])
  console.log(`${name}: ${history.length} moves, ${scores[0]}`)
}
