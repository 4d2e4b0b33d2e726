import { describe, test } from 'node:test'
import { webhookSuite } from './webhook-suite.ts'

describe('webhooks as functions on Node', () => {
  for (const [title, run] of Object.entries(webhookSuite)) test(title, run)
})
