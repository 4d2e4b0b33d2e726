/**
 * Definitions that are built as those of widely used projects: embedded Kubernetes types, unions and keyed lists with rules, enums, formats, quantities,
 * preserved fields and several versions. `apiserver check` takes the right objects and says of wrong ones what kube-apiserver says.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { check } from '../../../runtimes/node/check/index.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: plans.example.com
  annotations: {controller-gen.kubebuilder.io/version: v0.0.0}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: plans, singular: plan, kind: Plan, listKind: PlanList, shortNames: [pl], categories: [all]}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: none, name: none, path: /convert}}}
  versions:
  - name: v1alpha1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: use v1
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Size, type: string, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            required: [kind]
            properties:
              kind: {type: string, enum: [Redirect, Rewrite], default: Redirect}
              redirect:
                type: object
                properties:
                  code: {type: integer, format: int32, enum: [301, 302], default: 302}
              rewrite:
                type: object
                properties: {path: {type: string, maxLength: 1024, pattern: '^/'}}
              size:
                anyOf: [{type: integer}, {type: string}]
                pattern: ^[0-9]+(Mi|Gi)?$
                x-kubernetes-int-or-string: true
              replicas: {type: integer, format: int32, minimum: 0, default: 1}
              class:
                type: string
                x-kubernetes-validations: [{rule: self == oldSelf, message: class is immutable}]
              listeners:
                type: array
                maxItems: 4
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name, port]
                  properties:
                    name: {type: string, minLength: 1}
                    port: {type: integer, minimum: 1, maximum: 65535}
                    host: {type: string, maxLength: 253}
                x-kubernetes-validations:
                - {rule: 'self.all(a, self.exists_one(b, a.port == b.port))', message: ports must be unique}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              values: {type: object, x-kubernetes-preserve-unknown-fields: true}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations:
            - {rule: "has(self.redirect) == (self.kind == 'Redirect')", message: redirect must be set for Redirect only}
            - rule: "!has(self.rewrite) || self.rewrite.path.size() > 1"
              messageExpression: "'rewrite to ' + self.rewrite.path"
              fieldPath: .rewrite
              reason: FieldValueForbidden
          status:
            type: object
            properties:
              conditions: {type: array, items: {type: object, required: [type], properties: {type: {type: string}}}}
`

const plan = (spec: string, version = 'v1') => `{apiVersion: example.com/${version}, kind: Plan, metadata: {name: p}, spec: ${spec}}\n`
const temporary = temporaryDirectory('check')

/** What the check prints of an object beside the definition. */
async function said(...objects: readonly string[]): Promise<string[]> {
  writeFileSync(join(temporary.path, 'all.yaml'), [definition, ...objects].join('---\n'))
  let text = ''
  await check([temporary.path], 'apiserver', (part) => {
    text += part
  })
  const lines = text.trimEnd().split('\n')
  return lines.slice(0, -1).map((line) => line.replace(/^.*\/all\.yaml:\d+: /, ''))
}

test('right objects pass, in each version', async () => {
  const full =
    '{redirect: {}, size: 5Gi, listeners: [{name: a, port: 80}, {name: b, port: 81}], tags: [a, b], values: {any: [1, {b: c}]}, template: {apiVersion: v1, kind: Pod, metadata: {name: t}, spec: {x: 1}}}'
  assert.deepEqual(await said(plan(full)), [])
  assert.deepEqual(await said(plan('{size: 5, kind: Rewrite, rewrite: {path: /a}}')), [])
})

const wrong: readonly (readonly [spec: string, ...problems: readonly string[]])[] = [
  ['{redirect: {cod: 301}}', 'unknown field "spec.redirect.cod"'],
  ['{kind: Forward}', 'spec.kind: Unsupported value: "Forward": supported values: "Redirect", "Rewrite"'],
  ['{kind: Rewrite, redirect: {}}', 'spec: Invalid value: redirect must be set for Redirect only'],
  ['{kind: Rewrite, rewrite: {path: /}}', 'spec.rewrite: Forbidden: rewrite to /'],
  ['{redirect: {}, replicas: -1}', 'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0'],
  ['{redirect: {}, tags: [a, a]}', 'spec.tags[1]: Duplicate value: "a"'],
  ['{redirect: {}, listeners: [{name: a, port: 1}, {name: a, port: 2}]}', 'spec.listeners[1]: Duplicate value: {"name":"a"}'],
  ['{redirect: {}, listeners: [{name: a, port: 1}, {name: b, port: 1}]}', 'spec.listeners: Invalid value: ports must be unique'],
]

for (const [spec, ...problems] of wrong)
  test(`${spec}: ${problems[0]}`, async () => {
    const lines = await said(plan(spec))
    for (const problem of problems) assert.ok(lines.includes(`Plan p: ${problem}`), lines.join('\n'))
  })

test('a transition rule holds for the second object of a name', async () => {
  const [line] = await said(plan('{redirect: {}, class: a}'), plan('{redirect: {}, class: b}'))
  assert.equal(line, 'Plan p: spec.class: Invalid value: "b": class is immutable')
})
