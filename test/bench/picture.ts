/** Bar charts as SVG, for light and dark backgrounds. */

/** One group of bars. */
export interface Shares {
  readonly name: string
  /** The target, drawn as a dashed line. */
  readonly aim?: number
  /** One value for each series. */
  readonly shares: readonly number[]
}

const left = 150
const width = 560
const bar = 12
const gap = 14
const colours = ['#2f81f7', '#8957e5', '#8b949e', '#3fb950']

const safe = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const text = (x: number, y: number, content: string, more = '') => `<text x="${x}" y="${y}"${more}>${safe(content)}</text>`

/** Ratios to a baseline, one bar per series. The longest bar of a group, or its target, fills the width. */
export function picture(series: readonly string[], groups: readonly Shares[], caption: string): string {
  const parts: string[] = []
  let y = 30
  for (const [index, name] of series.entries()) {
    parts.push(`<rect x="${left + index * 130}" y="8" width="10" height="10" fill="${colours[index]}"/>`)
    parts.push(text(left + 15 + index * 130, 17, name))
  }
  for (const { name, aim, shares } of groups) {
    const longest = Math.max(...shares, aim ?? 0)
    const length = (share: number) => Math.round((share / longest) * width)
    parts.push(text(left - 8, y + (shares.length * bar) / 2 + 4, name, ' text-anchor="end"'))
    for (const [index, share] of shares.entries()) {
      const top = y + index * bar
      parts.push(`<rect x="${left}" y="${top}" width="${length(share)}" height="${bar - 2}" fill="${colours[index]}"/>`)
      parts.push(text(left + length(share) + 4, top + 9, share.toFixed(2), ' font-size="10"'))
    }
    if (aim !== undefined)
      parts.push(
        `<path d="M${left + length(aim)} ${y - 2}v${shares.length * bar + 2}" stroke="#d29922" stroke-width="2" stroke-dasharray="3 2"/>`,
      )
    y += shares.length * bar + gap
  }
  parts.push(text(left, y + 10, `${caption}. Dashed: target.`, ' font-size="10"'))
  const size = `width="${left + width + 50}" height="${y + 24}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12" fill="#7d8590">\n<title>Requests per second relative to the baseline</title>\n${parts.join('\n')}\n</svg>\n`
}

/** One group of bars: milliseconds, one for each series. */
export interface Durations {
  readonly name: string
  readonly milliseconds: readonly number[]
}

/** Milliseconds with two digits, in the unit that reads best. */
export function duration(milliseconds: number): string {
  const [value, unit] =
    milliseconds >= 1000 ? [milliseconds / 1000, 's'] : milliseconds >= 1 ? [milliseconds, 'ms'] : [milliseconds * 1000, 'µs']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** Durations on a logarithmic scale with a line for each power of ten, one bar per series. */
export function durationPicture(title: string, series: readonly string[], groups: readonly Durations[], caption: string): string {
  const logs = groups.flatMap(({ milliseconds }) => milliseconds.map(Math.log10))
  const from = Math.floor(Math.min(...logs))
  const to = Math.ceil(Math.max(...logs))
  const x = (log: number) => left + Math.round(((log - from) / (to - from)) * width)
  const top = 30
  const bottom = top + groups.length * (series.length * bar + gap) - gap / 2
  const parts: string[] = []
  for (const [index, name] of series.entries()) {
    parts.push(`<rect x="${left + index * 230}" y="8" width="10" height="10" fill="${colours[index]}"/>`)
    parts.push(text(left + 15 + index * 230, 17, name))
  }
  for (let power = from; power <= to; power++) {
    parts.push(`<path d="M${x(power)} ${top - 4}V${bottom}" stroke="#7d8590" stroke-opacity="0.3"/>`)
    parts.push(text(x(power), bottom + 12, duration(10 ** power).replace('.0', ''), ' font-size="10" text-anchor="middle"'))
  }
  for (const [at, { name, milliseconds }] of groups.entries()) {
    const y = top + at * (series.length * bar + gap)
    parts.push(text(left - 8, y + (series.length * bar) / 2 + 4, name, ' text-anchor="end"'))
    for (const [index, value] of milliseconds.entries()) {
      const end = x(Math.log10(value))
      parts.push(`<rect x="${left}" y="${y + index * bar}" width="${end - left}" height="${bar - 2}" fill="${colours[index]}"/>`)
      parts.push(text(end + 4, y + index * bar + 9, duration(value), ' font-size="10"'))
    }
  }
  parts.push(text(left, bottom + 28, caption, ' font-size="10"'))
  const size = `width="${left + width + 50}" height="${bottom + 38}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12" fill="#7d8590">\n<title>${safe(title)}</title>\n${parts.join('\n')}\n</svg>\n`
}
