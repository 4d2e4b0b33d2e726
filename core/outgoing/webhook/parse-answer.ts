/** JSON that other servers answer with. The engine takes seconds for megabytes of brackets, so that a look at the structure comes first. */
import { endOfString, parseJsonText } from '../../schema/json/text.ts'
import type { Json } from '../../schema/model.ts'

/** Maximum levels of objects and lists, as in requests. */
const maxDepth = 1_000
/** Maximum values of an answer that is no list of objects; usual ones have some dozens. */
const maxValues = 200_000

/**
 * Throws an Error when a JSON text is nested too deep, or has more than so many values. Texts that are no JSON may pass. Looks at each character once,
 * up to the place that is too much.
 */
export function checkStructure(text: string, max = maxValues): void {
  let [depth, values] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        if (at < 0) return
        break
      case '[':
      case '{':
        values++
        if (++depth > maxDepth) throw new Error(`the answer is nested more than ${maxDepth} levels deep`)
        break
      case ']':
      case '}':
        depth--
        break
      case ',':
        values++
    }
    if (values > max) throw new Error(`the answer has more than ${max} values`)
  }
}

/** The value of a JSON text. Throws an Error when it is malformed, nested too deep, or has too many values. */
export function parseAnswer(text: string): Json {
  checkStructure(text)
  return parseJsonText(text)
}
