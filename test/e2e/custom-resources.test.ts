/** Custom resources with the oldest and the newest kubectl. */
import assert from 'node:assert/strict'
import { type Desks, rows, withEachKubectl } from './kubectl-desk.ts'

const definition = (group: string, more = '') => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [shop]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    additionalPrinterColumns:
    - {name: Size, type: string, jsonPath: .spec.size}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Note, type: string, jsonPath: .spec.note, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: Something to sell.
        required: [spec]
        properties:
          spec:
            type: object
            description: What it is like.
            required: [size]
            properties:
              size: {type: string, enum: [small, large], description: How large it is.}
              replicas: {type: integer, minimum: 0, default: 1, description: How many there are.}
              note: {type: string}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, count: {type: integer}}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              selector: {type: string}
              conditions:
                type: array
                items:
                  type: object
                  properties: {type: {type: string}, status: {type: string}}
${more}`

const widget = (group: string, name: string, spec: string) => `
apiVersion: ${group}/v1
kind: Widget
metadata: {name: ${name}}
spec: ${spec}
`

function customResources(on: Desks): void {
  on('lifecycle of a custom resource', async ({ k, kubectl, namespace, minor, file, script, try: attempt, start }) => {
    const group = `${namespace}.example.com`
    const at = (name: string) => `widget.${group}/${name}`
    const crd = file('definition.yaml', definition(group))
    assert.equal(await k(`apply -f ${crd}`), `customresourcedefinition.apiextensions.k8s.io/widgets.${group} created\n`)
    assert.match(await k(`wait --for=condition=Established crd/widgets.${group}`), /condition met/)
    assert.match(await k(`api-resources --api-group=${group}`), /widgets +wd +\S+ +true +Widget/)

    const first = file('first.yaml', widget(group, 'first', '{size: small, parts: [{name: a, count: 1}]}'))
    assert.equal(await k(`apply -f ${first}`), `${at('first')} created\n`)
    assert.equal(await k(`apply -f ${first}`), `${at('first')} unchanged\n`)
    const [header, row] = rows(await k(`get widgets.${group}`))
    assert.deepEqual(header, ['NAME', 'SIZE', 'REPLICAS', 'AGE'])
    assert.deepEqual(row?.slice(0, 3), ['first', 'small', '1'])
    assert.deepEqual(rows(await k(`get widgets.${group} -o wide`))[0], ['NAME', 'SIZE', 'REPLICAS', 'NOTE', 'AGE'])
    assert.equal(await k(`get wd.${group} first -o name`), `${at('first')}\n`)

    if (minor >= 21) {
      assert.match(await k(`explain widgets.spec.size --api-version=${group}/v1`), /How large it is\./)
      assert.match(await k(`explain widgets.spec --api-version=${group}/v1`), /replicas\s+<integer>[\s\S]*size\s+<string>/)
    }
    assert.match(await k(`describe widgets.${group} first`), /Kind: +Widget\n[\s\S]*Size: +small/)

    assert.equal(await k(`patch widgets.${group} first --type=merge -p`, '{"spec":{"note":"red"}}'), `${at('first')} patched\n`)
    assert.equal(await k(`label widgets.${group} first colour=red`), `${at('first')} labeled\n`)
    const editor = script('editor', `sed -i 's/size: small/size: large/' "$1"`)
    const edited = await attempt(`edit widgets.${group} first`, { env: { KUBE_EDITOR: editor } })
    assert.match(edited.stdout, /edited/, edited.stderr)
    assert.equal(await k(`get widgets.${group} first -o jsonpath={.spec.size}-{.spec.note}`), 'large-red')
    assert.match(await k(`scale widgets.${group}/first --replicas=3`), /scaled/)
    assert.equal(await k(`get widgets.${group} first -o jsonpath={.spec.replicas}`), '3')

    const refused = await attempt(`apply -f ${file('bad.yaml', widget(group, 'bad', '{size: huge}'))}`)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /spec.size: Unsupported value: "huge": supported values: "small", "large"/)
    const misspelt = file('misspelt.yaml', widget(group, 'misspelt', '{size: small, sise: x}'))
    const strict = await attempt(`apply -f ${misspelt}`)
    assert.equal(strict.code, 1)
    assert.match(strict.stderr, minor >= 25 ? /unknown field "spec.sise"/ : /unknown field "sise"/)

    if (minor >= 22) {
      const owned = file('owned.yaml', widget(group, 'owned', '{size: small, parts: [{name: a}, {name: b}]}'))
      assert.equal(await k(`apply --server-side -f ${owned}`), `${at('owned')} serverside-applied\n`)
      const other = file('other.yaml', widget(group, 'owned', '{size: small, parts: [{name: c}]}'))
      assert.equal(await k(`apply --server-side --field-manager=other -f ${other}`), `${at('owned')} serverside-applied\n`)
      assert.equal(await k(`get widgets.${group} owned -o jsonpath={.spec.parts[*].name}`), 'a b c')
    }

    const waiting = start(`wait --for=delete widgets.${group}/first --timeout=300s`)
    assert.match(await k(`delete widgets.${group} first`), /"first" deleted/)
    assert.equal((await waiting.ended).code, 0)
    await k(`apply -f ${first}`)
    assert.match(await kubectl.run('delete', 'crd', `widgets.${group}`), /deleted/)
    const gone = await attempt(`get widgets.${group}`)
    assert.match(gone.stderr, /the server doesn't have a resource type|could not find the requested resource/)
    await k(`apply -f ${crd}`)
    assert.match(await k(`wait --for=condition=Established crd/widgets.${group}`), /condition met/)
    assert.equal(await k(`get widgets.${group} -o name`), '')
  })
}

withEachKubectl('custom resources with kubectl', [customResources])
