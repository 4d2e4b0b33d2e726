import { encodeUtf8 } from '../../schema/formats/utf8.ts'
import { htmlSafe } from '../../schema/json/html-safe.ts'
import { printJson } from '../../schema/json/text.ts'
import { textParts } from '../list-parts.ts'
import type { Encoding } from './encoding.ts'

const mediaType = 'application/json'
const encoder = new TextEncoder()

/** An object as compact JSON. */
export const jsonText = (value: object): string => htmlSafe(printJson(value))

const frameEnd = encoder.encode('}\n')
const frameStarts = new Map(
  ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type) => [type, encoder.encode(`{"type":"${type}","object":`)] as const),
)

/** One line: `{"type":…,"object":…}`. */
function frame(type: string, object: Uint8Array): Uint8Array {
  const start = frameStarts.get(type)!
  const line = new Uint8Array(start.length + object.length + frameEnd.length)
  line.set(start)
  line.set(object, start.length)
  line.set(frameEnd, start.length + object.length)
  return line
}

export const json: Encoding = {
  mediaTypes: () => [mediaType],
  hasTables: true,
  write: ({ value }, pretty) => encodeUtf8(htmlSafe(printJson(value, pretty ? 2 : undefined))),
  /** Indented; compact lists are made of stored bytes (`jsonParts`). */
  list(list, pretty) {
    const { head, member } = list
    const [open, close] = [`\n  "${member}": [\n    `, '\n  ]\n}']
    return textParts(list, {
      start: `${htmlSafe(printJson(head, 2)).slice(0, -2)},${open}`,
      item: (each) => htmlSafe(printJson({ [member]: [each] }, 2)).slice(open.length + 1, -close.length),
      between: ',\n    ',
      end: close,
      whole: (value) => json.write({ value, schema: undefined }, pretty),
    })
  },
  stream: {
    mediaType: (own) => `${own};stream=watch`,
    responseType: (negotiated) => negotiated,
    frame,
    isText: true,
  },
}
