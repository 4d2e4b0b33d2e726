import { shorten } from './shorten.ts'

/** Characters that the text of one step may have, since keys of maps come from clients; and those of a whole path. */
const maxSegment = 256
const maxText = 1024

/** Where a value is inside an object: `spec.containers[0].ports[name]`. Immutable; a child knows its parent. */
export class FieldPath {
  readonly #parent: FieldPath | undefined
  readonly #segment: string

  private constructor(parent: FieldPath | undefined, segment: string) {
    this.#parent = parent
    this.#segment = segment
  }

  static of(...names: string[]): FieldPath {
    return names.reduce<FieldPath>((path, name) => path.child(name), FieldPath.root)
  }

  /** The object itself; prints as `<nil>`, as clients of this API know it. */
  static readonly root = new FieldPath(undefined, '')

  child(name: string): FieldPath {
    const short = shorten(name, maxSegment)
    return new FieldPath(this, this === FieldPath.root ? short : `.${short}`)
  }

  index(index: number): FieldPath {
    return new FieldPath(this, `[${index}]`)
  }

  key(key: string): FieldPath {
    return new FieldPath(this, `[${shorten(key, maxSegment)}]`)
  }

  /** A path below this one that is known as text. */
  join(rest: string): FieldPath {
    return rest === '' ? this : new FieldPath(this, this === FieldPath.root || rest.startsWith('[') ? rest : `.${rest}`)
  }

  /** The text of a path that starts here. */
  before(rest: string): string {
    if (this === FieldPath.root) return rest
    if (rest === FieldPath.root.toString()) return this.toString()
    return `${this}${rest.startsWith('[') ? '' : '.'}${rest}`
  }

  toString(): string {
    if (this === FieldPath.root) return '<nil>'
    let text = ''
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.#parent) text = path.#segment + text
    return shorten(text, maxText)
  }
}
