import { shorten } from '../schema/shorten.ts'

/** Maximum strict decoding errors per body. */
const maxFaults = 100
/** Maximum characters of a path, and of each key in it, in an error. */
const maxPath = 1024
const maxKey = 256

/**
 * Finds duplicate keys in objects of a JSON text, which must be valid and of bounded depth.
 * Returns one error per path, in order of occurrence: `duplicate field "spec.containers[0].name"`.
 */
export function findDuplicates(text: string): string[] {
  const finder = new Finder(text)
  finder.value('')
  return [...finder.found]
}

class Finder {
  readonly found = new Set<string>()
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(path: string): void {
    const start = this.#token()
    if (start === '{') this.#object(path)
    else if (start === '[') this.#array(path)
    else if (start === '"') this.#string()
    else while (this.#at < this.#text.length && !',]} \n\r\t'.includes(this.#text[this.#at] as string)) this.#at++
  }

  /** Skips white space; the position stays on the returned character. */
  #token(): string {
    while (' \n\r\t'.includes(this.#text[this.#at] ?? 'x')) this.#at++
    return this.#text[this.#at] ?? ''
  }

  /** Reads a string; decodes it only when it has escapes. */
  #string(): string {
    const start = this.#at
    let escaped = false
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#text[this.#at] !== '\\') continue
      escaped = true
      this.#at++
    }
    this.#at++
    return escaped ? (JSON.parse(this.#text.slice(start, this.#at)) as string) : this.#text.slice(start + 1, this.#at - 1)
  }

  #object(path: string): void {
    const seen = new Set<string>()
    this.#at++
    while (this.#token() !== '}') {
      const key = this.#string()
      const shown = shorten(key, maxKey)
      const child = path === '' ? shown : shorten(`${path}.${shown}`, maxPath)
      if (seen.has(key) && this.found.size < maxFaults) this.found.add(`duplicate field ${JSON.stringify(child)}`)
      seen.add(key)
      this.#token()
      this.#at++
      this.value(child)
      if (this.#token() === ',') {
        this.#at++
        this.#token()
      }
    }
    this.#at++
  }

  #array(path: string): void {
    this.#at++
    for (let index = 0; this.#token() !== ']'; index++) {
      this.value(shorten(`${path}[${index}]`, maxPath))
      if (this.#token() === ',') this.#at++
    }
    this.#at++
  }
}
