/** All parts, in the order in which they run. */
import type { Part } from '../exchange.ts'
import { actions } from './actions.ts'
import { webhookAnswers } from './answers.ts'
import { corpora } from './corpora.ts'
import { create } from './create.ts'
import { custom } from './custom.ts'
import { deletion } from './deletion.ts'
import { denials } from './denials.ts'
import { documents } from './documents.ts'
import { fairness } from './fairness.ts'
import { flags } from './flags.ts'
import { textFormats } from './formats.ts'
import { gatesOff, gatesOn } from './gates.ts'
import { interplay } from './interplay.ts'
import { jsonPatches } from './json-patches.ts'
import { kubectl } from './kubectl.ts'
import { life } from './life.ts'
import { media } from './media.ts'
import { naming } from './names.ts'
import { odd } from './odd.ts'
import { patches } from './patches.ts'
import { admissionPolicies } from './policies.ts'
import { protocol } from './protocol.ts'
import { reads } from './reads.ts'
import { rules } from './rules.ts'
import { writeSequences } from './sequences.ts'
import { several } from './several.ts'
import { status } from './status.ts'
import { tables } from './tables.ts'
import { update } from './update.ts'
import { webhooks } from './webhooks.ts'
import { webSockets } from './websockets.ts'
import { wire } from './wire.ts'

export const parts: readonly Part[] = [
  ...[flags, documents, odd, denials, reads, tables, rules],
  ...[
    admissionPolicies,
    webhooks,
    fairness,
    custom,
    actions,
    life,
    status,
    update,
    create,
    protocol,
    deletion,
    patches,
    media,
    naming,
    interplay,
    writeSequences,
    textFormats,
    webSockets,
    webhookAnswers,
    corpora,
    jsonPatches,
    kubectl,
    several,
    wire,
    gatesOn,
    gatesOff,
  ],
]

/** The parts by the flags that their servers need, in the order of the first part with them. */
export function byFlags(all: readonly Part[]): { readonly flags: readonly string[]; readonly members: readonly Part[] }[] {
  const textOf = ({ flags: own = [] }: Part) => own.join(' ')
  return [...new Set(all.map(textOf))].map((text) => {
    const members = all.filter((part) => textOf(part) === text)
    return { flags: members[0]?.flags ?? [], members }
  })
}
