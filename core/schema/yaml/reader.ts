import { isObject } from '../json/is-object.ts'
import { clone, set } from '../json/members.ts'
import type { Json, JsonObject } from '../model.ts'
import { YamlError } from './cursor.ts'
import type { Directive, TagName } from './directives.ts'
import type { YamlInput } from './input.ts'
import { resolvePlain } from './resolve.ts'
import { type Token, YamlScanner } from './scanner.ts'
import { tagged, tagHandles } from './tags.ts'

export { YamlError } from './cursor.ts'

export interface YamlOptions {
  /** Values that aliases may expand to, in addition to one per character. */
  readonly minValues?: number
  /** Ignore what follows the first document. Default: it must be the only one. */
  readonly first?: boolean
  /** Called for each duplicate key, with its line. The last one wins. */
  readonly repeated?: (key: string, line: number) => void
}

/** Value of an anchor; undefined while it is being parsed. */
interface Anchor {
  readonly value: Json
  /** Number of values in it, including itself. */
  readonly size: number
}

const isInfinite = (value: Json) => typeof value === 'number' && !Number.isFinite(value)

const goNumber = (value: Json) => (Number.isNaN(value) ? 'NaN' : value === Number.POSITIVE_INFINITY ? '+Inf' : '-Inf')

const defaultMinValues = 400_000
const mergeKey = '<<'

/**
 * Parses at most one document to JSON values, as the reference's parser does: YAML 1.1 (libyaml, go-yaml v2); timestamps are strings,
 * aliases are copies. Throws YamlError with the line.
 */
export function readYaml(input: YamlInput, options: YamlOptions = {}): Json {
  return new Reader(input, options).document()
}

class Reader {
  readonly #tokens: YamlScanner
  readonly #repeated: YamlOptions['repeated']
  readonly #isFirst: boolean
  readonly #anchors = new Map<string, Anchor | undefined>()
  /** Tag prefixes by handle (`%TAG`). */
  readonly #handles = tagHandles()
  #left: number
  #made = 0
  /** The first value that can't be represented: the reference reads the syntax of the whole document before. */
  #refusal: YamlError | undefined

  constructor(input: YamlInput, { minValues = defaultMinValues, repeated, first = false }: YamlOptions) {
    this.#tokens = new YamlScanner(input)
    this.#left = Math.max(input.text.length, minValues)
    this.#repeated = repeated
    this.#isFirst = first
  }

  document(): Json {
    const hasDirectives = this.#directives()
    const begins = this.#takeIf('document-start')
    if (hasDirectives && !begins) this.#fail('did not find expected <document start>')
    const { type } = this.#tokens.peek()
    const isEmpty = type === 'end' || (begins && (type === 'document-end' || type === 'document-start' || type === 'directive'))
    const value = isEmpty ? this.#empty() : this.#node(true, false)
    // The reference looks at the next token, which may be an error.
    this.#tokens.peek()
    if (this.#refusal !== undefined) throw this.#refusal
    if (this.#isFirst) return value
    while (this.#takeIf('document-end'));
    const { type: next, line } = this.#tokens.peek()
    if (next === 'document-start') throw new YamlError(line, 'expected a single document')
    if (next !== 'end') this.#fail('did not find expected <document start>')
    return value
  }

  /** Fails at the next token: the reference counts the lines of such errors from 0, and the end of the text as a line of its own. */
  #fail(problem: string, line = this.#tokens.peek().line): never {
    throw new YamlError(line, problem)
  }

  #refuse(problem: string, by?: 'json'): null {
    this.#refusal ??= new YamlError(0, problem, by)
    return null
  }

  #is(type: Token['type']): boolean {
    return this.#tokens.peek().type === type
  }

  #takeIf(type: Token['type']): Token | undefined {
    return this.#is(type) ? this.#tokens.take() : undefined
  }

  /** Takes the directives of the document (`%YAML`, `%TAG`); false: there are none. */
  #directives(): boolean {
    let version: string | undefined
    const declared = new Set<string>()
    for (let token = this.#takeIf('directive'); token; token = this.#takeIf('directive')) {
      const { line } = token
      const directive = token.directive as Directive
      if (directive.name === 'YAML') {
        if (version !== undefined) this.#fail('found duplicate %YAML directive', line)
        version = directive.version
        if (version !== '1.1') this.#fail('found incompatible YAML document', line)
      } else {
        if (declared.has(directive.handle)) this.#fail('found duplicate %TAG directive', line)
        declared.add(directive.handle)
        this.#handles.set(directive.handle, directive.prefix)
      }
    }
    return version !== undefined || declared.size > 0
  }

  /** The full text of a tag. */
  #tag({ tag, line }: Token): string {
    const { handle, suffix } = tag as TagName
    const prefix = handle === '' ? '' : this.#handles.get(handle)
    return prefix === undefined ? this.#fail('found undefined tag handle', line) : prefix + suffix
  }

  /** Charges created or copied values to the limit. */
  #charge(count = 1): void {
    this.#made += count
    this.#left -= count
    if (this.#left < 0) this.#fail('document contains excessive aliasing', 0)
  }

  #empty(): null {
    this.#charge()
    return null
  }

  /** Parses one value. `isBlock`: may be a block collection; `isIndentless`: may be a list at the indentation of its key. */
  #node(isBlock: boolean, isIndentless: boolean): Json {
    const { type } = this.#tokens.peek()
    if (type === 'scalar') return this.#scalar(undefined)
    if (type === 'alias') return this.#alias()
    if (type !== 'anchor' && type !== 'tag') return this.#content(isBlock, isIndentless, undefined)
    let anchor: string | undefined
    let tag: string | undefined
    for (;;) {
      if (anchor === undefined && this.#is('anchor')) anchor = this.#tokens.take().value
      else if (tag === undefined && this.#is('tag')) tag = this.#tag(this.#tokens.take())
      else break
    }
    if (anchor === undefined) return this.#content(isBlock, isIndentless, tag, true)
    this.#anchors.set(anchor, undefined)
    const before = this.#made
    const value = this.#content(isBlock, isIndentless, tag, true)
    this.#anchors.set(anchor, { value, size: this.#made - before })
    return value
  }

  #content(isBlock: boolean, isIndentless: boolean, tag: string | undefined, mayBeEmpty = false): Json {
    switch (this.#tokens.peek().type) {
      case 'scalar':
        return this.#scalar(tag)
      case '[':
        return this.#flowList()
      case '{':
        return this.#flowMap()
      case 'entry':
        if (isIndentless) return this.#list(undefined)
        break
      case 'block-list':
        if (isBlock) return this.#list(this.#tokens.take())
        break
      case 'block-map':
        if (isBlock) return this.#map()
    }
    if (!mayBeEmpty) this.#fail('did not find expected node content')
    this.#charge()
    return tag === undefined ? null : this.#tagged(tag, '')
  }

  #scalar(tag: string | undefined): Json {
    this.#charge()
    const { value, plain } = this.#tokens.take()
    if (tag !== undefined) return this.#tagged(tag, value)
    if (!plain) return value
    const resolved = resolvePlain(value)
    if (isInfinite(resolved)) return this.#refuse(`unsupported value: ${goNumber(resolved)}`, 'json')
    return resolved
  }

  #tagged(tag: string, text: string): Json {
    try {
      return tagged(tag, text)
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      this.#refusal ??= error
      return null
    }
  }

  #alias(): Json {
    const { value: name } = this.#tokens.take()
    if (!this.#anchors.has(name)) this.#fail(`unknown anchor '${name}' referenced`, 0)
    const anchor = this.#anchors.get(name)
    if (anchor === undefined) return this.#refuse(`anchor '${name}' value contains itself`)
    this.#charge(anchor.size)
    return clone(anchor.value)
  }

  /** Parses a block list; `start` is absent when it has no indentation of its own. */
  #list(start: Token | undefined): Json[] {
    this.#charge()
    const items: Json[] = []
    while (this.#takeIf('entry')) {
      const { type } = this.#tokens.peek()
      const isEmpty = type === 'entry' || type === 'block-end' || (!start && (type === 'key' || type === 'value'))
      items.push(isEmpty ? this.#empty() : this.#node(true, false))
    }
    if (start && !this.#takeIf('block-end')) this.#fail("did not find expected '-' indicator")
    return items
  }

  #map(): JsonObject {
    this.#charge()
    const map: JsonObject = {}
    this.#tokens.take()
    const isEmpty = () => this.#is('key') || this.#is('value') || this.#is('block-end')
    while (this.#takeIf('key')) this.#member(map, isEmpty, true)
    if (!this.#takeIf('block-end')) this.#fail('did not find expected key')
    return map
  }

  #flowMap(): JsonObject {
    this.#charge()
    const map: JsonObject = {}
    this.#tokens.take()
    const isEmpty = () => this.#is('value') || this.#is(',') || this.#is('}')
    for (let first = true; !this.#is('}'); first = false) {
      if (!first && !this.#takeIf(',')) this.#fail("did not find expected ',' or '}'")
      if (this.#is('}')) break
      if (this.#takeIf('key')) this.#member(map, isEmpty, false)
      else this.#put(map, this.#key(false), () => this.#empty())
    }
    this.#tokens.take()
    return map
  }

  #flowList(): Json[] {
    this.#charge()
    const items: Json[] = []
    this.#tokens.take()
    const isEmpty = () => this.#is('value') || this.#is(',') || this.#is(']')
    for (let first = true; !this.#is(']'); first = false) {
      if (!first && !this.#takeIf(',')) this.#fail("did not find expected ',' or ']'")
      if (this.#is(']')) break
      if (this.#takeIf('key')) {
        this.#charge()
        const map: JsonObject = {}
        this.#member(map, isEmpty, false)
        items.push(map)
      } else items.push(this.#node(false, false))
    }
    this.#tokens.take()
    return items
  }

  /** Parses a key and its value, after the key token. */
  #member(map: JsonObject, isEmpty: () => boolean, isBlock: boolean): void {
    if (isEmpty()) this.#refuse('unsupported map key')
    const key = isEmpty() ? '' : this.#key(isBlock)
    this.#put(map, key, () => (this.#takeIf('value') && !isEmpty() ? this.#node(isBlock, isBlock) : this.#empty()))
  }

  /** The text of a key; undefined: a merge key. */
  #key(isBlock: boolean): string | undefined {
    const { type, value, plain } = this.#tokens.peek()
    if (type === 'scalar' && plain && value === mergeKey) {
      this.#scalar(undefined)
      return undefined
    }
    if (type === 'scalar' && plain && isInfinite(resolvePlain(value))) return this.#tokens.take().value
    const key = this.#node(isBlock, isBlock)
    if (key === null || typeof key === 'object') this.#refuse('unsupported map key')
    return String(key)
  }

  #put(map: JsonObject, key: string | undefined, read: () => Json): void {
    const { line } = this.#tokens.peek()
    const value = read()
    if (key !== undefined) this.#set(map, key, value, line)
    else for (const source of Array.isArray(value) ? value.toReversed() : [value]) this.#merge(map, source, line)
  }

  #merge(map: JsonObject, source: Json, line: number): void {
    if (!isObject(source)) {
      this.#refuse('map merge requires map or sequence of maps as the value')
      return
    }
    for (const key of Object.keys(source)) {
      this.#charge()
      this.#set(map, key, source[key] as Json, line)
    }
  }

  #set(map: JsonObject, key: string, value: Json, line: number): void {
    if (this.#repeated && Object.hasOwn(map, key)) this.#repeated(key, line)
    set(map, key, value)
  }
}
