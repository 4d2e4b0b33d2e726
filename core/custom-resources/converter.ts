/** How the objects of a definition get from one version to another (reference: pkg/apiserver/conversion). */
import type { ApiObject, Converter } from '../resources/definition.ts'
import { type ConversionContext, conversionWebhook } from './conversion-webhook.ts'
import type { Definition } from './definition.ts'

/** Strategy None: versions differ in their name, and in what their schemas leave out. */
const relabelling: Converter = {
  convert: (objects: readonly ApiObject[], apiVersion: string) => objects.map((object) => ({ ...object, apiVersion })),
}

/** Keeps nothing of the definition but how it converts. */
export function converterOf({ spec: { conversion } }: Definition, context: ConversionContext): Converter {
  const { strategy, webhook } = conversion ?? {}
  return strategy === 'Webhook' && webhook ? conversionWebhook(webhook, context) : relabelling
}
