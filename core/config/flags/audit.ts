/** What the flags of both audit backends share. */
import { DecodeError } from '../../schema/decode-error.ts'
import type { Flag } from '../flag.ts'
import { custom } from '../flag-types.ts'

export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const

const version = 'audit.<domain>/v1'

/** Group and version of audit events; only one exists. */
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

export const truncateHelp = {
  batch: 'Bytes of a batch, at most; larger ones are split. What is sent may be a few hundred bytes longer.',
  event: 'Bytes of an event, at most; larger ones lose their bodies, and are dropped if that is not enough.',
}
