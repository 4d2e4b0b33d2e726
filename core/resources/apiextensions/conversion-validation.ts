/** Validates the conversion settings of a definition. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateSupported } from '../validation.ts'
import { validateClientConfig, validateReviewVersions } from '../webhook-client-validation.ts'
import { bundleProblem } from './ca-bundle.ts'
import type { CustomResourceDefinitionSpec } from './customresourcedefinition.ts'

/**
 * Validates a new CA bundle in an update. Not validated before the definition is established, or if the stored bundle is malformed
 * too; the webhook call then fails.
 */
export function validateBundle(bundle: string, path: FieldPath, errors: FieldErrors, before: string): void {
  const problem = bundleProblem(bundle)
  if (problem !== undefined && bundleProblem(before) === undefined) errors.invalid(path, bundle, problem)
}

/** Errors use the field names from before settings moved below `webhook`. */
export function validateConversion(spec: Infer<typeof CustomResourceDefinitionSpec>, path: FieldPath, errors: FieldErrors): void {
  const { conversion, preserveUnknownFields } = spec
  if (!conversion) return
  const { strategy, webhook } = conversion
  const at = {
    strategy: path.child('strategy'),
    client: path.child('webhookClientConfig'),
    reviews: path.child('conversionReviewVersions'),
  }
  if (strategy !== 'None' && preserveUnknownFields) {
    errors.invalid(at.strategy, strategy, 'must be None if spec.preserveUnknownFields is true')
  }
  if (strategy === '') errors.required(at.strategy)
  else validateSupported(strategy, ['None', 'Webhook'], at.strategy, errors)
  if (strategy === 'Webhook') {
    if (!webhook?.clientConfig) errors.required(at.client, 'required when strategy is set to Webhook')
    else if ((webhook.clientConfig.url === undefined) === (webhook.clientConfig.service === undefined)) {
      errors.required(at.client, 'exactly one of url or service is required')
    } else validateClientConfig(webhook.clientConfig, at.client, errors)
    validateReviewVersions(webhook?.conversionReviewVersions ?? [], at.reviews, errors)
    return
  }
  const detail = 'should not be set when strategy is not set to Webhook'
  if (webhook?.clientConfig) errors.forbidden(at.client, detail)
  if (webhook?.conversionReviewVersions?.length) errors.forbidden(at.reviews, detail)
}
