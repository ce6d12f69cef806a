"""Reviews a game of Connect Four: prints the best move and value beside each move played."""

import json
import subprocess
import sys

moves = sys.argv[1] if len(sys.argv) > 1 else "44444326555"
engine = subprocess.Popen(
    ["tengen", "analyze", "--stream", "--player", "net:connect4:400"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def send(**request):
    engine.stdin.write(json.dumps(request) + "\n")


for ply in range(len(moves)):
    send(id=str(ply), moves=moves[:ply], priority=ply, report_simulations=100)

found = {}
while len(found) < len(moves):
    answer = json.loads(engine.stdout.readline())
    if "error" in answer:
        sys.exit(answer["error"])
    if answer.get("during_search") and answer["proven"]:
        send(id="stop", action="terminate", terminate_id=answer["id"])
    elif answer.get("during_search") is False:
        found[int(answer["id"])] = answer
send(id="bye", action="quit")
engine.wait()

for ply, move in enumerate(moves):
    a = found[ply]
    print(f"{ply + 1:3} {move}  best {a['best']}  value {a['value']:+.2f}  {a['proven'] or ''}")
