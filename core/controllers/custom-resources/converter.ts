/** Converts objects between the versions of a definition (reference: pkg/apiserver/conversion). */
import { relabelling } from '../../resources/converter.ts'
import type { Versioning } from '../../resources/definition.ts'
import { type ConversionContext, conversionWebhook } from './conversion-webhook.ts'
import type { Definition } from './definition.ts'

/** Strategy None: changes only `apiVersion`; each version's schema prunes unknown fields. */
const none: Versioning = { heldIn: 'requested', converter: relabelling }

/** Captures only the conversion settings of the definition, not the whole object. */
export function versioningOf({ metadata, spec: { conversion } }: Definition, context: ConversionContext): Versioning {
  const { strategy, webhook } = conversion ?? {}
  return strategy === 'Webhook' && webhook
    ? { heldIn: 'requested', converter: conversionWebhook(metadata?.name ?? '', webhook, context) }
    : none
}
