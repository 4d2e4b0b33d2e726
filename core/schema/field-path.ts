import { shorten } from './go/shorten.ts'

/** Maximum characters of a path segment (map keys come from clients), and of a whole path. */
const maxSegment = 1024
const maxText = 4096

/** Form of a step: `.name`, `[0]`, `[key]`, or text of several steps. */
type Step = 'child' | 'index' | 'key' | 'text'

/** A child without a name is `[]`, as in the well-known `[]: Too long`. */
function written(step: Step, name: string | number, dot: string): string {
  const text = String(name)
  if (step === 'text') return text.startsWith('[') ? text : `${dot}${text}`
  return step === 'child' && text !== '' ? `${dot}${shorten(text, maxSegment)}` : `[${shorten(text, maxSegment)}]`
}

/**
 * Path of a value in an object: `spec.containers[0].ports[name]`. Immutable; refers to its parent. The text is only built for
 * errors.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined
  readonly #step: Step
  readonly #name: string | number

  private constructor(parent: FieldPath | undefined, step: Step, name: string | number) {
    this.#parent = parent
    this.#step = step
    this.#name = name
  }

  static of(...names: string[]): FieldPath {
    return names.reduce<FieldPath>((path, name) => path.child(name), FieldPath.root)
  }

  /** The object itself; printed as `<nil>`, as clients expect. */
  static readonly root = new FieldPath(undefined, 'child', '')

  child(name: string): FieldPath {
    return new FieldPath(this, 'child', name)
  }

  index(index: number): FieldPath {
    return new FieldPath(this, 'index', index)
  }

  key(key: string): FieldPath {
    return new FieldPath(this, 'key', key)
  }

  /** A path below this one, given as text. */
  join(rest: string): FieldPath {
    return rest === '' ? this : new FieldPath(this, 'text', rest)
  }

  /** The text of `rest`, a path relative to this one. */
  before(rest: string): string {
    if (this === FieldPath.root) return rest
    if (rest === FieldPath.root.toString()) return this.toString()
    return `${this}${rest.startsWith('[') ? '' : '.'}${rest}`
  }

  /** Names and indexes from the root. */
  steps(): readonly (string | number)[] {
    const steps: (string | number)[] = []
    for (let path: FieldPath = this; path.#parent !== undefined; path = path.#parent) steps.unshift(path.#name)
    return steps
  }

  toString(): string {
    if (this === FieldPath.root) return '<nil>'
    let text = ''
    for (let path: FieldPath = this; path.#parent !== undefined; path = path.#parent)
      text = written(path.#step, path.#name, path.#parent === FieldPath.root ? '' : '.') + text
    return shorten(text, maxText)
  }
}
