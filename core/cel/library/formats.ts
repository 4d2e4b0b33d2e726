/** Named formats as values (library of the API server): `!format.dns1123Label().validate(self.name).hasValue()`. */

import { formats, maskTrailingDash } from '../../schema/formats/formats.ts'
import { openapiFormat } from '../../schema/openapi/formats.ts'
import { declare, type FunctionDeclaration, type Row, type Weigh } from '../functions.ts'
import { after, type MaybeSteps } from '../steps.ts'
import { abstractType } from '../types.ts'
import { CelOpaque, CelOptional, none } from '../values/values.ts'
import { matchCost } from './costs.ts'
import { urlProblem } from './urls.ts'

export const formatType = abstractType('kubernetes.NamedFormat')

type Validate = (text: string) => MaybeSteps<readonly string[]>

class CelFormat extends CelOpaque {
  readonly celType = formatType
  readonly name: string
  readonly validate: Validate
  /** Characters of the equivalent pattern, for costs. */
  readonly patternSize: number
  constructor(name: string, [validate, patternSize]: Format) {
    super()
    this.name = name
    this.validate = validate
    this.patternSize = patternSize
  }
  override equals(other: unknown): boolean {
    return other instanceof CelFormat && other.name === this.name
  }
}

const prefix =
  (validate: Validate): Validate =>
  (text) =>
    validate(maskTrailingDash(text))

const openapi = (name: string, problem: string): Validate => {
  const test = openapiFormat(name)
  return (text) => (test === undefined || test(text) ? [] : [problem])
}

const uri: Validate = (text) => after(urlProblem(text), (problem) => (problem === undefined ? [] : [problem]))

type Format = readonly [validate: Validate, patternSize: number]

/** Formats by their names in expressions. */
const named: { readonly [name: string]: Format } = {
  dns1123Label: [formats.dns1123Label, 30],
  dns1123Subdomain: [formats.dns1123Subdomain, 60],
  dns1035Label: [formats.dns1035Label, 30],
  qualifiedName: [formats.qualifiedName, 60],
  dns1123LabelPrefix: [prefix(formats.dns1123Label), 30],
  dns1123SubdomainPrefix: [prefix(formats.dns1123Subdomain), 60],
  dns1035LabelPrefix: [prefix(formats.dns1035Label), 30],
  labelValue: [formats.labelValue, 40],
  uri: [uri, 1103],
  uuid: [openapi('uuid', 'does not match the UUID format'), 70],
  byte: [openapi('byte', 'invalid base64'), 84],
  date: [openapi('date', 'invalid date'), 71],
  datetime: [openapi('datetime', 'invalid datetime'), 71],
}

const validate = (format: CelFormat, text: string): MaybeSteps<CelOptional> =>
  after(format.validate(text), (problems) => (problems.length === 0 ? none : new CelOptional(problems)))

const validates = {
  cost: ([format, text]: readonly unknown[], weigh: Weigh) => matchCost(weigh(text), format instanceof CelFormat ? format.patternSize : 0),
  byName: true,
} as const

export function formatLibrary(): readonly FunctionDeclaration[] {
  const all = new Map(Object.entries(named).map(([name, format]) => [name, new CelFormat(name, format)]))
  const rows: readonly Row[] = [
    ['format-validate', 'NamedFormat.validate(string): optional<list<string>>', validate, validates],
    [
      'format-named',
      'format.named(string): optional<NamedFormat>',
      (name: string) => {
        const found = all.get(name)
        return found ? new CelOptional(found) : none
      },
    ],
    ...[...all].map(([name, format]): Row => [`format.${name}`, `format.${name}(): NamedFormat`, () => format]),
  ]
  return declare(rows, { NamedFormat: formatType })
}
