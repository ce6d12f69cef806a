// uPlot, which charts.js loads as a script.
interface Window { uPlot: any }
