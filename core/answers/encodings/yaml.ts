import { encodeUtf8 } from '../../schema/formats/utf8.ts'
import { htmlSafe } from '../../schema/json/html-safe.ts'
import { parseToShow, printJson } from '../../schema/json/text.ts'
import { yamlInput } from '../../schema/yaml/input.ts'
import { compareKeys } from '../../schema/yaml/key-order.ts'
import { readYaml, YamlError } from '../../schema/yaml/reader.ts'
import { yamlText } from '../../schema/yaml/text.ts'
import { textParts } from '../list-parts.ts'
import { unreasoned } from '../status.ts'
import type { Encoding } from './encoding.ts'

/** Characters of JSON as Go writes it that are others in YAML, or not allowed there. */
const changed = /[\u007f-\u009f\ufffe\uffff]/

/**
 * JSON as YAML: the reference reads it as YAML first, which folds U+0085 and refuses other controls. Throws 500 then, so that the object can't be had
 * in this format.
 */
function yamlOf(json: string): string {
  if (!changed.test(json)) return yamlText(parseToShow(json))
  try {
    return yamlText(readYaml(yamlInput(encodeUtf8(htmlSafe(json)))))
  } catch (error) {
    throw error instanceof YamlError ? unreasoned(error.message) : error
  }
}

/** A long list has begun when an item is found that YAML can't hold: it is written nevertheless. */
const partText = (value: unknown) => yamlText(parseToShow(printJson(value)))

/** Has no form of watches. */
export const yaml: Encoding = {
  mediaTypes: () => ['application/yaml'],
  hasTables: true,
  // Through JSON, because the YAML writer does not support parts that keep their text.
  write: ({ value }) => encodeUtf8(yamlOf(printJson(value))),
  list(list) {
    const { head, member } = list
    const members = (which: (name: string) => boolean) => {
      const chosen = Object.entries(head).filter(([name]) => which(name))
      return chosen.length === 0 ? '' : partText(Object.fromEntries(chosen))
    }
    // Members are in the order of names, and lists are not indented relative to their key.
    return textParts(list, {
      start: `${members((name) => compareKeys(name, member) < 0)}${member}:\n`,
      item: (each) => partText([each]),
      between: '',
      end: members((name) => compareKeys(name, member) > 0),
      whole: (value) => yaml.write({ value, schema: undefined }, false),
    })
  },
}
