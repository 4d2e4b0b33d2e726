/** Texts for the editor, by title. */
export const samples: { readonly [title: string]: string } = {
  Definition: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: games.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Game, plural: games, singular: game}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [map, players, minPlayers]
            x-kubernetes-validations:
            - rule: self.minPlayers <= self.players
              message: a game can't need more players than it has
            properties:
              map: {type: string, enum: [desert, forest, island]}
              players: {type: integer, maximum: 16}
              minPlayers: {type: integer, minimum: 1}
`,
  'Custom resource': `apiVersion: example.com/v1
kind: Game
metadata:
  name: friday
  namespace: default
spec:
  map: island
  players: 4
  minPlayers: 2
`,
  Deployment: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: default
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: nginx:1.29
        ports:
        - containerPort: 80
`,
  Policy: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: few-replicas
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
    messageExpression: "'at most 5 replicas, not ' + string(object.spec.replicas)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: few-replicas
spec:
  policyName: few-replicas
  validationActions: [Deny]
`,
}
