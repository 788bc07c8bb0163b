"""
Nodes of a graph: to which part of a library does a module belong?
==================================================================

You have a network (who knows, cites or imports whom), a class for some of its nodes, and nothing
else. The length of the shortest path between two nodes says how different they are.
"""

import re
import warnings
from importlib.util import resolve_name
from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sklearn
from sklearn.manifold import TSNE
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier, inspect_relation
from relrbf.exceptions import NotEuclideanWarning
from relrbf.plotting.style import COLOURS, INK, MARKERS
from relrbf.relations import GraphRelation

# %%
# A real network that is on your disk: the modules of scikit-learn, with an edge where one of them
# imports the other. The class is the part of the library; parts of fewer than 20 modules have none.
FOLDER = Path(sklearn.__file__).parent
modules = {}
for path in sorted(FOLDER.rglob("*.py")):
    name = ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts)
    modules[name.removesuffix(".__init__")] = path
graph = nx.Graph()
for module, path in modules.items():
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for name in re.findall(r"^ *from ([\w.]+) import", path.read_text(encoding="utf-8"), re.M):
        graph.add_edge(module, resolve_name(name, package))
graph = graph.subgraph(module for module in modules if ".externals" not in module).copy()
graph.remove_edges_from(list(nx.selfloop_edges(graph)))
graph = graph.subgraph(max(nx.connected_components(graph), key=len)).copy()
print(graph)

# Shuffled: in the order of their names, ties between neighbours would be resolved by the name.
nodes = np.random.default_rng(0).permutation(sorted(graph))
part = np.array([node.split(".")[1] if node.count(".") > 1 else "" for node in nodes])
kinds, sizes = np.unique(part, return_counts=True)
known = np.flatnonzero(np.isin(part, kinds[(sizes >= 20) & (kinds != "") & (kinds != "tests")]))
y = part[known]

# %%
# Everybody imports ``sklearn.base``, so that a few steps lead from anywhere to anywhere. Remedy:
# let an edge be the longer, the more neighbours its ends have. Shortest paths are a metric, and
# yet no vectors have them; the resistance between nodes always has vectors.
degree = dict(graph.degree)
for a, b in graph.edges:
    graph[a][b]["weight"] = float(np.sqrt(degree[a] * degree[b]))
relations = {
    "steps": GraphRelation(graph, weights="ignore", ids=nodes),
    "resistance": GraphRelation(graph, distance="resistance", ids=nodes),
    "paths around hubs": GraphRelation(graph, ids=nodes),
}
warnings.simplefilter("ignore", NotEuclideanWarning)  # the inspection says so

# %%
# Half of the modules train, half are held out, in five splits that are the same for all. Baselines
# are tuned by a grid search in each, the network is not.
positions = np.arange(len(known))[:, None]


def kernel(D, gamma):
    """Return exp(-gamma D / median) as a function of positions."""
    K = np.exp(-gamma * D / np.median(D))
    return lambda a, b: K[np.ix_(a.ravel().astype(int), b.ravel().astype(int))]


splits = StratifiedShuffleSplit(5, test_size=0.5, random_state=0)
votes = {"n_neighbors": [1, 3, 5, 9], "weights": ["uniform", "distance"]}
neighbours = GridSearchCV(KNeighborsClassifier(metric="precomputed"), votes, cv=3)
for measure, whole in relations.items():
    relation = whole.restrict(known)
    D, dual = relation.block(), inspect_relation(relation).has_vector_dual
    grid = {"C": [1, 10, 100], "kernel": [kernel(D, gamma) for gamma in (0.3, 1, 3)]}
    network = RBFNetworkClassifier(random_state=0)
    baselines = {"k-NN": (neighbours, D), "SVC": (GridSearchCV(SVC(), grid, cv=3), positions)}
    print(f"{measure}; vectors exist, by exponent: {dual}")
    for name, (model, X) in {"relrbf": (network, relation), **baselines}.items():
        scores = cross_val_score(model, X, y, cv=splits)
        print(f"  {name:<7} accuracy {scores.mean():.3f} ± {scores.std():.3f}")

# %%
# The measure matters as much as the model: once hubs no longer join what has nothing to do with
# each other, everybody gains. Drawn from the same dissimilarities by t-SNE: parts that import each
# other lie together, and errors sit where parts mix, above all with ``utils``, which help all.
train, test = next(splits.split(y, y))
model = RBFNetworkClassifier(random_state=0).fit(relation.restrict(train), y[train])
wrong = model.predict(relation[np.ix_(test, train)]) != y[test]
places = TSNE(metric="precomputed", init="random", perplexity=15, random_state=0).fit_transform(D)
fig, ax = plt.subplots(figsize=(9, 7), layout="constrained")
for k, name in enumerate(model.classes_):
    here = y == name
    ax.plot(*places[here].T, MARKERS[k], color=COLOURS[k], ms=7, mew=0, label=name)
ax.plot(*places[test[wrong]].T, "o", ms=13, mfc="none", mec=INK, label="held out and wrong")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
ax.set_axis_off()
plt.show()
