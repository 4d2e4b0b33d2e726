// What controllers do with client-go, in one server, while another one stays as it is.
//
//	main HERE OTHER
//
// Both are files of the kubeconfig format. Ends with status 0 when all is as it should be, otherwise with a line that says what is not.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"
)

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

func expect(what string, isSo bool) {
	if !isSo {
		fmt.Printf("%s: not so\n", what)
		os.Exit(1)
	}
}

func configOf(path string) *rest.Config {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	check(path, err)
	config.QPS, config.Burst = 1000, 1000
	return config
}

const namespace = "client-go"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	config, other := configOf(os.Args[1]), configOf(os.Args[2])
	objects(ctx, config)
	binary := rest.CopyConfig(config)
	binary.ContentType, binary.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	pages(ctx, kubernetes.NewForConfigOrDie(binary))
	definitions(ctx, config)
	check("delete namespace", kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	check("the namespace goes", wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	}))
	_, err := kubernetes.NewForConfigOrDie(other).CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	expect("the other server has no such namespace", apierrors.IsNotFound(err))
	fmt.Println("done")
}

// An informer, writes, conflicts, and server-side apply.
func objects(ctx context.Context, config *rest.Config) {
	client := kubernetes.NewForConfigOrDie(config)
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	check("create namespace", err)
	maps := client.CoreV1().ConfigMaps(namespace)

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	events := make(chan string, 100)
	note := func(kind string) func(any) {
		return func(object any) {
			if tombstone, isTombstone := object.(cache.DeletedFinalStateUnknown); isTombstone {
				object = tombstone.Obj
			}
			if found := object.(*corev1.ConfigMap); found.Name == "one" {
				events <- kind + " " + found.Data["a"]
			}
		}
	}
	updated := note("updated")
	_, err = factory.Core().V1().ConfigMaps().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: note("added"), UpdateFunc: func(_, now any) { updated(now) }, DeleteFunc: note("deleted"),
	})
	check("informer", err)
	factory.Start(ctx.Done())
	expect("the informer lists", cache.WaitForCacheSync(ctx.Done(), factory.Core().V1().ConfigMaps().Informer().HasSynced))
	next := func(wanted string) {
		select {
		case found := <-events:
			expect(wanted+" follows, found "+found, found == wanted)
		case <-ctx.Done():
			expect("an event comes: "+wanted, false)
		}
	}

	one, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Data: map[string]string{"a": "1"}}, metav1.CreateOptions{})
	check("create", err)
	next("added 1")
	stale := one.DeepCopy()
	one.Data["a"] = "2"
	_, err = maps.Update(ctx, one, metav1.UpdateOptions{})
	check("update", err)
	next("updated 2")
	_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
	expect("an update of an old version is a conflict", apierrors.IsConflict(err))
	_, err = maps.Create(ctx, stale, metav1.CreateOptions{})
	expect("a second one is refused", err != nil)
	applied := applycorev1.ConfigMap("one", namespace).WithData(map[string]string{"a": "3"})
	_, err = maps.Apply(ctx, applied, metav1.ApplyOptions{FieldManager: "other"})
	expect("an apply of another's field is a conflict", apierrors.IsConflict(err))
	_, err = maps.Apply(ctx, applied, metav1.ApplyOptions{FieldManager: "other", Force: true})
	check("forced apply", err)
	next("updated 3")
	_, err = maps.Patch(ctx, "one", types.MergePatchType, []byte(`{"data":{"a":"4"}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	check("dry run", err)
	check("delete", maps.Delete(ctx, "one", metav1.DeleteOptions{}))
	next("deleted 3")
}

// Pages of a list, in protobuf.
func pages(ctx context.Context, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(namespace)
	for at := 0; at < 25; at++ {
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%02d", at), Labels: map[string]string{"page": "yes"}}}, metav1.CreateOptions{})
		check("create in protobuf", err)
	}
	count := 0
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) { return maps.List(ctx, options) })
	list.PageSize = 10
	check("pages", list.EachListItem(ctx, metav1.ListOptions{LabelSelector: "page=yes"}, func(runtime.Object) error {
		count++
		return nil
	}))
	expect("pages have all", count == 25)
	check("delete all", maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "page=yes"}))
}

// A definition, and its objects through discovery and the dynamic client.
func definitions(ctx context.Context, config *rest.Config) {
	client := dynamic.NewForConfigOrDie(config)
	resource := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gophers.client-go.example.com"},
		"spec": map[string]any{
			"group": "client-go.example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "gophers", "singular": "gopher", "kind": "Gopher", "listKind": "GopherList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
					"spec": map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": "integer", "maximum": int64(5)}}},
				}}},
			}},
		},
	}}
	_, err := client.Resource(resource).Create(ctx, definition, metav1.CreateOptions{})
	check("create definition", err)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(config)))
	kind := schema.GroupKind{Group: "client-go.example.com", Kind: "Gopher"}
	var served schema.GroupVersionResource
	check("discovery", wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(context.Context) (bool, error) {
		mapper.Reset()
		mapping, err := mapper.RESTMapping(kind, "v1")
		if err == nil {
			served = mapping.Resource
		}
		return err == nil, nil
	}))
	gopher := func(name string, size int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "client-go.example.com/v1", "kind": "Gopher", "metadata": map[string]any{"name": name}, "spec": map[string]any{"size": size},
		}}
	}
	_, err = client.Resource(served).Namespace(namespace).Create(ctx, gopher("small", 3), metav1.CreateOptions{})
	check("create object", err)
	_, err = client.Resource(served).Namespace(namespace).Create(ctx, gopher("large", 9), metav1.CreateOptions{})
	expect("an object against its schema is invalid", apierrors.IsInvalid(err))
	check("delete definition", client.Resource(resource).Delete(ctx, definition.GetName(), metav1.DeleteOptions{}))
}
