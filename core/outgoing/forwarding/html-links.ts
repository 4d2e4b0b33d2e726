/** Rewrites the links in HTML that arrives in pieces of any size (a subset of the tokenizer in HTML 13.2.5). */

/** Attributes that are links, by element (http://www.w3.org/TR/REC-html40/index/attributes.html). */
const linkAttributes: { readonly [element: string]: readonly string[] } = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
}

/** Elements that contain text only. */
const textElements = new Set(['iframe', 'noembed', 'noframes', 'noscript', 'plaintext', 'script', 'style', 'textarea', 'title', 'xmp'])

/** Longest tag in which links are looked for: usual ones have a few hundred characters. */
const maxTagBytes = 8192

const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d)
const isLetter = (code: number) => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
const [quote, apostrophe, slash, equals, greater] = [0x22, 0x27, 0x2f, 0x3d, 0x3e]

interface Tag {
  readonly name: string
  /** With its links rewritten. */
  readonly text: string
  /** Index after it. */
  readonly end: number
}

/** Reads the start tag at an index; undefined when its end is missing. */
function startTag(html: string, start: number, rewrite: (link: string) => string): Tag | undefined {
  const { length } = html
  let at = start + 1
  const until = (stops: (code: number) => boolean) => {
    const from = at
    while (at < length && !stops(html.charCodeAt(at))) at++
    return html.slice(from, at)
  }
  const name = until((code) => isSpace(code) || code === slash || code === greater).toLowerCase()
  const links = Object.hasOwn(linkAttributes, name) ? (linkAttributes[name] as readonly string[]) : []
  let text = ''
  let copied = start
  for (;;) {
    until((code) => !isSpace(code) && code !== slash)
    if (at >= length) return undefined
    if (html.charCodeAt(at) === greater) break
    const first = at++
    until((code) => isSpace(code) || code === slash || code === greater || code === equals)
    const attribute = html.slice(first, at).toLowerCase()
    until((code) => !isSpace(code))
    if (html.charCodeAt(at) !== equals) continue
    at++
    until((code) => !isSpace(code))
    const opening = html.charCodeAt(at)
    const quoted = opening === quote || opening === apostrophe
    if (quoted) at++
    const from = at
    const value = until((code) => (quoted ? code === opening : isSpace(code) || code === greater))
    if (at >= length) return undefined
    if (quoted) at++
    if (!links.includes(attribute)) continue
    text += html.slice(copied, from) + rewrite(value)
    copied = from + value.length
  }
  return { name, text: text + html.slice(copied, at + 1), end: at + 1 }
}

/** Rewrites the links of an HTML document. An incomplete tag at the end of a piece is held back until the next one. */
export class LinkRewriter {
  readonly #rewrite: (link: string) => string
  #held = ''
  /** Where no start tags are read, such as in comments and scripts: the text that ends this part, in lower case. Otherwise empty. */
  #until = ''

  constructor(rewrite: (link: string) => string) {
    this.#rewrite = rewrite
  }

  /** Takes the next piece; returns the output that is complete so far. */
  push(text: string): string {
    // An incomplete tag is not parsed again before a `>` arrives.
    const waits = this.#until === '' && this.#held.startsWith('<') && this.#held.length > 4
    if (waits && !text.includes('>') && this.#held.length + text.length < maxTagBytes) {
      this.#held += text
      return ''
    }
    return this.#decide(this.#held + text, false)
  }

  /** The rest of the document. */
  end(): string {
    return this.#decide(this.#held, true)
  }

  #decide(html: string, last: boolean): string {
    let out = ''
    let at = 0
    while (at < html.length) {
      const next = this.#until === '' ? this.#markup(html, at, last) : this.#text(html, at, last)
      if (next === undefined) break
      out += next.text
      at = next.end
    }
    this.#held = html.slice(at)
    return out
  }

  /** Text up to its end. */
  #text(html: string, at: number, last: boolean): Omit<Tag, 'name'> | undefined {
    const wanted = this.#until
    for (let found = html.indexOf(wanted.charAt(0), at); found >= 0; found = html.indexOf(wanted.charAt(0), found + 1)) {
      const end = found + wanted.length
      if (end > html.length && !last) return found === at ? undefined : { text: html.slice(at, found), end: found }
      if (html.slice(found, end).toLowerCase() !== wanted) continue
      this.#until = ''
      return { text: html.slice(at, end), end }
    }
    return { text: html.slice(at), end: html.length }
  }

  /** Text before a tag, or a tag. */
  #markup(html: string, at: number, last: boolean): Omit<Tag, 'name'> | undefined {
    const opening = html.indexOf('<', at)
    if (opening !== at) {
      const end = opening < 0 ? html.length : opening
      return { text: html.slice(at, end), end }
    }
    if (html.length - at < 4 && !last) return undefined
    const code = html.charCodeAt(at + 1)
    if (!isLetter(code)) {
      const isComment = html.startsWith('<!--', at)
      if (isComment) this.#until = '-->'
      else if (html[at + 1] === '!' || html[at + 1] === '?' || html[at + 1] === '/') this.#until = '>'
      const end = at + (isComment ? 4 : 1)
      return { text: html.slice(at, end), end }
    }
    const tag = startTag(html, at, this.#rewrite)
    if (tag === undefined) {
      if (!last && html.length - at < maxTagBytes) return undefined
      // All of it: to look for tags in what may be one would be quadratic.
      const end = Math.min(at + maxTagBytes, html.length)
      return { text: html.slice(at, end), end }
    }
    if (textElements.has(tag.name)) this.#until = `</${tag.name}`
    return tag
  }
}
