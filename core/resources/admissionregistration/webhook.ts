import { webhookClient } from '../webhook-client.ts'

export const { ServiceReference, WebhookClientConfig } = webhookClient()
