/** Allows or denies all writes (plugin/pkg/admission/admit and deny); for tests. */
import { type AdmissionAttributes, type AdmissionPlugin, admissionOperations } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { refusal } from './about.ts'

export function alwaysAdmit(_context: PluginContext): AdmissionPlugin {
  return { name: 'AlwaysAdmit', operations: admissionOperations, mutate() {}, validate() {} }
}

export function alwaysDeny(_context: PluginContext): AdmissionPlugin {
  function refuse(attributes: AdmissionAttributes): never {
    throw refusal(attributes, 'admission control is denying all modifications')
  }
  return { name: 'AlwaysDeny', operations: admissionOperations, mutate: refuse, validate: refuse }
}
