/** Common flags of both audit backends. */
import { DecodeError } from '../../schema/decode-error.ts'
import type { Flag } from '../flag.ts'
import { custom } from '../flag-types.ts'

export { modes as auditModes } from '../../audit/sink.ts'

const version = 'audit.<domain>/v1'

/** API version of audit events; only one exists. */
export function auditVersion({ help }: { readonly help: string }): Flag<string> {
  return custom(
    {
      label: 'string',
      read: (text, platform) => {
        if (text !== platform.name(version)) throw new DecodeError(`must be ${platform.name(version)}`)
        return text
      },
      show: (value: string) => value,
    },
    { default: ({ platform }) => platform.name(version), help },
  )
}
