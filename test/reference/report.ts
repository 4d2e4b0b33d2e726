/** What people read: numbers of each part, and the classes of differences with an example each. */
import { placeClass } from './difference.ts'
import type { Call } from './exchange.ts'
import type { Outcome } from './run.ts'

interface Count {
  compared: number
  same: number
  accepted: number
  differs: number
}

const none: Count = { compared: 0, same: 0, accepted: 0, differs: 0 }

const rowText = (name: string, cells: readonly (string | number)[]) =>
  `${name.padEnd(20)}${cells.map((cell) => String(cell).padStart(10)).join('')}`

export interface DifferenceClass {
  readonly part: string
  readonly text: string
  readonly example: Outcome
  count: number
  /** Kinds with their numbers of requests. */
  readonly kinds: Map<string, number>
}

/** Places of a difference that are shown. */
const shown = 4
const longest = 300
/** Answers that differ in as many places are documents; each of their places is a difference of its own. */
const manyPlaces = 50

export class Report {
  readonly parts = new Map<string, Count>()
  readonly classes = new Map<string, DifferenceClass>()
  /** Numbers of requests that needed an accepted difference, by its reason. */
  readonly uses = new Map<string, number>()

  add(outcome: Outcome): void {
    const count = this.parts.get(outcome.part.name) ?? { ...none }
    this.parts.set(outcome.part.name, count)
    count.compared++
    count[outcome.verdict]++
    for (const { reason } of outcome.accepted) this.uses.set(reason, (this.uses.get(reason) ?? 0) + 1)
    if (outcome.verdict !== 'differs') return
    if (outcome.differences.length < manyPlaces) this.count(outcome.class, outcome)
    else for (const each of outcome.differences) this.count(placeClass(each), { ...outcome, differences: [each] })
  }

  private count(text: string, outcome: Outcome): void {
    const key = `${outcome.part.name} ${text}`
    let found = this.classes.get(key)
    if (found === undefined) {
      found = { part: outcome.part.name, text, example: outcome, count: 0, kinds: new Map() }
      this.classes.set(key, found)
    }
    found.count++
    const { kind } = outcome.scene
    found.kinds.set(kind, (found.kinds.get(kind) ?? 0) + 1)
  }

  get differs(): number {
    return [...this.parts.values()].reduce((sum, { differs }) => sum + differs, 0)
  }

  /** A row of the table. */
  row(name: string): string {
    const { compared, same, accepted, differs } = this.parts.get(name) ?? none
    return rowText(name, [compared, same, accepted, differs])
  }

  /** A table of the parts. */
  table(): string {
    const sum = (member: keyof Count) => [...this.parts.values()].reduce((total, count) => total + count[member], 0)
    const rows = [...this.parts.keys()].map((name) => this.row(name))
    const total = rowText('total', [sum('compared'), sum('same'), sum('accepted'), sum('differs')])
    return [rowText('part', ['compared', 'same', 'accepted', 'differ']), ...rows, total].join('\n')
  }

  /** Accepted differences with their numbers of requests, the most frequent first. */
  usesTable(): string {
    const rows = [...this.uses].toSorted(([, one], [, other]) => other - one)
    return rows.map(([reason, number]) => `${String(number).padStart(8)} accepted: ${reason}`).join('\n')
  }

  /** The classes, the most frequent first, as Markdown. */
  classList(limit = Number.POSITIVE_INFINITY): string {
    const sorted = [...this.classes.values()].toSorted((one, other) => other.count - one.count)
    return sorted
      .slice(0, limit)
      .map(({ part, text, count, kinds, example }) => {
        const names = [...kinds].toSorted((one, other) => other[1] - one[1])
        const most = names.slice(0, 6).map(([name, number]) => `${name} ${number}`)
        const differing = example.differences.slice(0, shown).map(({ path, reference, ours }) => {
          const [left, right] = [JSON.stringify(reference) ?? 'absent', JSON.stringify(ours) ?? 'absent']
          return `    ${path}\n      reference ${left.slice(0, longest)}\n      ours      ${right.slice(0, longest)}`
        })
        const others = names.length > 6 ? `, ${names.length - 6} more kinds` : ''
        return [
          `## ${count} × ${part}: ${text}`,
          `  kinds: ${most.join(', ')}${others}`,
          `  example: ${example.scene.kind} ${example.scene.at} (--replay ${example.id})`,
          `    ${curl(example.call)}`,
          ...differing,
        ].join('\n')
      })
      .join('\n\n')
  }
}

/** The request for a shell; `$SERVER` and `$TOKEN` are the reader's. */
export function curl({ method, path, headers = {}, body, token }: Call): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const own = token === undefined ? '"Authorization: Bearer $TOKEN"' : quoted(`Authorization: Bearer ${token}`)
  const lines = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
  const data = body === undefined ? '' : ` --data-binary ${quoted(body.length > 2000 ? `${body.slice(0, 2000)}…` : body)}`
  return `curl -ki --path-as-is -X ${method} -H ${own}${lines.join('')} "$SERVER"${quoted(path)}${data}`
}
