import * as z from 'zod/mini'
import { FieldPath } from '../../schema/field-path.ts'
import { optionalInt32, optionalText, typeMeta } from './fields.ts'
import { fileKind } from './kind.ts'

const schema = z.strictObject({ ...typeMeta, endpoint: optionalText, samplingRatePerMillion: optionalInt32 })

export type TracingConfiguration = z.output<typeof schema>

/** Schemes of gRPC targets; without scheme a target is resolved by DNS. */
const schemes = ['dns', 'unix', 'unix-abstract']

export const tracingConfiguration = fileKind({
  kinds: [
    { kind: 'TracingConfiguration', versions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.<domain>/${version}`) },
  ],
  schema,
  validate({ endpoint, samplingRatePerMillion: rate }, errors) {
    const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(endpoint ?? '')?.[1]
    if (scheme !== undefined && !schemes.includes(scheme)) {
      errors.invalid(FieldPath.of('endpoint'), endpoint ?? '', `unsupported scheme: ${scheme}. Options are none, ${schemes.join(', ')}`)
    }
    if (endpoint !== undefined && !endpoint.startsWith('unix') && !URL.canParse(`http://${endpoint.replace(/^dns:(\/\/[^/]*\/)?/, '')}`)) {
      errors.invalid(FieldPath.of('endpoint'), endpoint, 'must be HOST:PORT, or a target of gRPC')
    }
    if (endpoint !== undefined && /\s/.test(endpoint)) errors.invalid(FieldPath.of('endpoint'), endpoint, 'must not contain white space')
    if (rate !== undefined && (rate < 0 || rate > 1_000_000)) {
      errors.invalid(
        FieldPath.of('samplingRatePerMillion'),
        rate,
        rate < 0 ? 'sampling rate must be positive' : 'sampling rate per million must be less than or equal to one million',
      )
    }
  },
})
