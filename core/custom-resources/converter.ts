/** Converts objects between the versions of a definition (reference: pkg/apiserver/conversion). */
import type { ApiObject, Converter } from '../resources/definition.ts'
import { type ConversionContext, conversionWebhook } from './conversion-webhook.ts'
import type { Definition } from './definition.ts'

/** Strategy None: changes only `apiVersion`; each version's schema prunes unknown fields. */
const relabelling: Converter = {
  convert: (objects: readonly ApiObject[], apiVersion: string) => objects.map((object) => ({ ...object, apiVersion })),
}

/** Captures only the conversion settings of the definition, not the whole object. */
export function converterOf({ spec: { conversion } }: Definition, context: ConversionContext): Converter {
  const { strategy, webhook } = conversion ?? {}
  return strategy === 'Webhook' && webhook ? conversionWebhook(webhook, context) : relabelling
}
