/** Without controllers that create objects in namespaces, so that tests know their content. `serviceaccount` is needed by pods. */
export const suiteControllers: readonly string[] = ['garbage-collector', 'namespace', 'serviceaccount']
