/** Duplicate members of a JSON text as Go's decoder of a type reads them: objects of the same member are merged, other values replaced. */
import type { Schema } from '../schema/model.ts'

type Members = Map<string, Value>
/** A text stands for a scalar. */
type Value = string | Members | Value[]

/** The text with duplicate members merged. It must be valid, and of bounded depth. */
export function mergeDuplicates(text: string, schema: Schema): string {
  return printed(new Reader(text).value(schema))
}

const schemaOf = (schema: Schema | undefined, key: string) =>
  schema?.type === 'message' ? schema.json.get(key)?.schema : schema?.type === 'map' ? schema.values : undefined

/** The value of a member that occurs again. */
function merged(before: Value | undefined, after: Value, schema: Schema | undefined): Value {
  if (before instanceof Map && after instanceof Map) {
    if (schema?.type !== 'message' && schema?.type !== 'map') return after
    const result = new Map(before)
    // The values of a map are new ones.
    for (const [key, value] of after) result.set(key, schema.type === 'map' ? value : merged(before.get(key), value, schemaOf(schema, key)))
    return result
  }
  if (!Array.isArray(before) || !Array.isArray(after) || schema?.type !== 'list') return after
  // Go decodes into the items that are there.
  return after.map((item, index) => merged(before[index], item, schema.items))
}

function printed(value: Value): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map(printed).join(',')}]`
  return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${printed(member)}`).join(',')}}`
}

const scalar = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(schema: Schema | undefined): Value {
    const start = this.#token()
    if (start === '{') return this.#object(schema)
    if (start === '[') return this.#array(schema)
    return this.#scalar()
  }

  /** Skips white space; the position stays on the returned character. */
  #token(): string {
    while (' \n\r\t'.includes(this.#text[this.#at] ?? 'x')) this.#at++
    return this.#text[this.#at] ?? ''
  }

  #scalar(): string {
    scalar.lastIndex = this.#at
    const [found = ''] = scalar.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }

  /** Steps over an opening character, a comma or a colon. */
  #step(): void {
    this.#at++
    this.#token()
  }

  #object(schema: Schema | undefined): Members {
    const members: Members = new Map()
    for (this.#step(); this.#text[this.#at] !== '}'; ) {
      const key = JSON.parse(this.#scalar()) as string
      this.#token()
      this.#step()
      const own = schemaOf(schema, key)
      // The values of a map are new ones.
      const before = schema?.type === 'map' ? undefined : members.get(key)
      members.set(key, merged(before, this.value(own), own))
      if (this.#token() === ',') this.#step()
    }
    this.#at++
    return members
  }

  #array(schema: Schema | undefined): Value[] {
    const items: Value[] = []
    for (this.#step(); this.#text[this.#at] !== ']'; ) {
      items.push(this.value(schema?.type === 'list' ? schema.items : undefined))
      if (this.#token() === ',') this.#step()
    }
    this.#at++
    return items
  }
}
