/** Common flags of both audit backends. */
import { DecodeError } from '../../schema/decode-error.ts'
import type { Flag } from '../flag.ts'
import { custom } from '../flag-types.ts'

export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const

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

export const truncateHelp = {
  batch: 'Maximum size of a batch in bytes; larger batches are split. The request may be a few hundred bytes larger.',
  event:
    'Maximum size of an event in bytes. Request and response bodies are removed from larger events; events that are still too large are dropped.',
}
