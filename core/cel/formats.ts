import { type Environment, Optional } from 'cel-js'
import { formats, maskTrailingDash } from '../schema/formats.ts'
import { openapiFormat } from '../schema/openapi-formats.ts'

type Validate = (text: string) => readonly string[]

class CelFormat {
  readonly validate: Validate
  constructor(validate: Validate) {
    this.validate = validate
  }
}

class CelFormats {}

const prefix =
  (validate: Validate): Validate =>
  (text) =>
    validate(maskTrailingDash(text))
const openapi = (name: string, problem: string): Validate => {
  const test = openapiFormat(name)
  return (text) => (test === undefined || test(text) ? [] : [problem])
}

/** Formats by the names that expressions use. */
const named: { readonly [name: string]: Validate } = {
  dns1123Label: formats.dns1123Label,
  dns1123Subdomain: formats.dns1123Subdomain,
  dns1035Label: formats.dns1035Label,
  qualifiedName: formats.qualifiedName,
  dns1123LabelPrefix: prefix(formats.dns1123Label),
  dns1123SubdomainPrefix: prefix(formats.dns1123Subdomain),
  dns1035LabelPrefix: prefix(formats.dns1035Label),
  labelValue: formats.labelValue,
  uri: openapi('uri', 'invalid URI for request'),
  uuid: openapi('uuid', 'does not match the UUID format'),
  byte: openapi('byte', 'invalid base64'),
  date: openapi('date', 'invalid date'),
  datetime: openapi('datetime', 'invalid datetime'),
}

function validate({ validate: problemsOf }: CelFormat, text: string): Optional {
  const problems = problemsOf(text)
  return problems.length === 0 ? Optional.none() : Optional.of(problems)
}

/** Formats as values (this API's library): `!format.dns1123Label().validate(self.name).hasValue()`. */
export function registerFormats(environment: Environment): void {
  const all = new Map(Object.entries(named).map(([name, problemsOf]) => [name, new CelFormat(problemsOf)]))
  environment
    .registerType('NamedFormat', CelFormat)
    .registerType('NamedFormats', CelFormats)
    .registerConstant('format', 'NamedFormats', new CelFormats())
    .registerFunction('NamedFormat.validate(string): optional<list<string>>', validate)
    .registerFunction('NamedFormats.named(string): optional<NamedFormat>', (_: CelFormats, name: string) => {
      const found = all.get(name)
      return found === undefined ? Optional.none() : Optional.of(found)
    })
  for (const [name, format] of all) environment.registerFunction(`NamedFormats.${name}(): NamedFormat`, () => format)
}
