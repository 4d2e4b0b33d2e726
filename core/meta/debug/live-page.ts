/** The page of `/debug/live`: self-contained, without a build step. It draws the readings of `/debug/live/stream`. */
const style = `
:root { color-scheme: light dark; --ink: light-dark(#1d2433, #e6e9f0); --soft: light-dark(#667085, #98a2b8); --card: light-dark(#fff, #171c28);
  --ground: light-dark(#f3f5f9, #0d111a); --line: light-dark(#e3e7ef, #283044); --accent: light-dark(#3366e0, #6ea0ff); --bar: light-dark(#dbe6ff, #22345c) }
* { box-sizing: border-box }
body { margin: 0; padding: 24px; background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, sans-serif }
header { display: flex; align-items: baseline; gap: 12px; margin-bottom: 18px }
h1 { font-size: 19px; margin: 0 } header span { color: var(--soft) }
#dot { width: 9px; height: 9px; border-radius: 50%; background: #d64545; align-self: center } #dot.on { background: #2fae66 }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 14px }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px 16px; min-width: 0 }
h2 { font-size: 12px; font-weight: 600; margin: 0 0 4px; color: var(--soft); letter-spacing: .02em }
.value { font-size: 27px; font-weight: 650; font-variant-numeric: tabular-nums } .value small { font-size: 13px; font-weight: 400; color: var(--soft); margin-left: 4px }
svg { display: block; width: 100%; height: 46px; margin-top: 6px } path.line { fill: none; stroke: var(--accent); stroke-width: 1.8 } path.area { fill: var(--bar); opacity: .7 }
ol { list-style: none; margin: 6px 0 0; padding: 0; max-height: 268px; overflow: auto } li { position: relative; display: flex; justify-content: space-between; gap: 10px; padding: 3px 8px; margin: 2px 0 }
li i { position: absolute; inset: 0 auto 0 0; background: var(--bar); border-radius: 5px } li b, li span { position: relative; font-weight: 400; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
li span { font-variant-numeric: tabular-nums; color: var(--soft); flex: none } .none { color: var(--soft); padding: 4px 0 }
`

/** Runs in the browser. Names come from clients: they are set as text, never as markup. */
const script = `
const charts = [
  ['Requests', '/s', (r, p, s) => (total(r.requests) - total(p.requests)) / s],
  ['Request latency', 'ms', (r, p) => mean(r.requestSeconds, p.requestSeconds)],
  ['Store latency', 'ms', (r, p) => mean(r.storeSeconds, p.storeSeconds)],
  ['Event-loop delay, longest', 'ms', (r) => r.loopDelay],
  ['Processor', '%', (r, p, s) => 100 * (r.cpuSeconds - p.cpuSeconds) / s],
  ['Memory', 'MiB', (r) => r.residentBytes / 1048576],
]
const lists = [['In flight', 'inFlight'], ['Watches', 'watches'], ['Requests since the start', 'requests'], ['Stored objects', 'objects'], ['Objects in watch caches', 'caches'], ['Queues', 'queues']]
const total = (rows) => rows.reduce((sum, [, value]) => sum + value, 0)
const mean = (now, before) => now.count > before.count ? 1000 * (now.sum - before.sum) / (now.count - before.count) : 0
const shown = (value) => value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2)
const make = (name, parent, text) => { const made = document.createElement(name); if (text !== undefined) made.textContent = text; parent.append(made); return made }
const main = document.querySelector('main')
const card = (title) => { const section = make('section', main); make('h2', section, title); return section }
const svg = (name, parent) => parent.appendChild(document.createElementNS('http://www.w3.org/2000/svg', name))
const drawn = charts.map(([title, unit, of]) => {
  const section = card(title), value = make('div', section, '–'), picture = svg('svg', section)
  value.className = 'value'; picture.setAttribute('viewBox', '0 0 120 46'); picture.setAttribute('preserveAspectRatio', 'none')
  const area = svg('path', picture), line = svg('path', picture), past = []
  area.setAttribute('class', 'area'); line.setAttribute('class', 'line'); line.setAttribute('vector-effect', 'non-scaling-stroke')
  return (reading, before, seconds) => {
    past.push(of(reading, before, seconds)); if (past.length > 121) past.shift()
    value.textContent = shown(past.at(-1)); make('small', value, unit)
    const top = Math.max(...past, 1e-9) * 1.15, from = 121 - past.length
    const points = past.map((each, index) => (from + index) + ' ' + (45 - 43 * each / top).toFixed(2)).join(' L ')
    line.setAttribute('d', 'M ' + points); area.setAttribute('d', 'M ' + from + ' 46 L ' + points + ' L 120 46 Z')
  }
})
const listed = lists.map(([title, field]) => {
  const section = card(title), list = make('ol', section)
  return (reading) => {
    const rows = reading[field], max = Math.max(...rows.map(([, value]) => value), 1)
    list.replaceChildren()
    if (rows.length === 0) make('div', list, 'none').className = 'none'
    for (const [name, value] of rows) {
      const item = make('li', list)
      make('i', item).style.width = (100 * value / max) + '%'
      make('b', item, name).title = name; make('span', item, value.toLocaleString('en'))
    }
  }
})
const dot = document.querySelector('#dot'), up = document.querySelector('#up')
let before
const source = new EventSource('live/stream')
source.onerror = () => { dot.className = ''; before = undefined }
source.onmessage = ({ data }) => {
  dot.className = 'on'
  const reading = JSON.parse(data), s = reading.uptimeSeconds
  up.textContent = 'up ' + Math.floor(s / 3600) + ' h ' + Math.floor(s / 60) % 60 + ' min ' + s % 60 + ' s'
  for (const show of listed) show(reading)
  if (before) for (const draw of drawn) draw(reading, before, Math.max(0.001, (reading.time - before.time) / 1000))
  before = reading
}
`

/** The empty icon keeps browsers from asking for `/favicon.ico`, which the server does not have. */
export const livePage = (title: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><header><div id="dot"></div><h1>${title}</h1><span id="up"></span></header><main></main><script>${script}</script></body>
</html>
`
